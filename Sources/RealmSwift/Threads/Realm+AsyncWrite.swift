import RealmEngine
import Synchronization

/// Asynchronous `write` and `refresh`, which suspend the task instead of blocking its actor (API
/// specification 2.1).
extension Realm {
    /// Runs `block` in a write transaction, commits the transaction, and returns when the changes
    /// are durable.
    ///
    /// The task is suspended while it waits for the write lock and for the disk, so that the actor
    /// can do other work. If the block throws an error, all changes are undone and the error is
    /// rethrown.
    ///
    /// ```swift
    /// actor Kennel {
    ///     private var realm: Realm!
    ///     init() async throws { realm = try await Realm(actor: self) }
    ///     func add(_ name: String) async throws {
    ///         try await realm.asyncWrite { realm.add(Dog(value: ["name": name])) }
    ///     }
    /// }
    /// ```
    ///
    /// Traps if the realm is not confined to the calling actor.
    ///
    /// - Returns: the result of `block`.
    /// - Throws: the error of `block`, `Realm.Error` if the commit cannot be written, and
    ///   `CancellationError` if the task is cancelled before the block runs.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation actor: isolated any Actor = #isolation, _ block: (() throws -> Result)
    ) async throws -> Result {
        checkIsolated("asyncWrite", actor)
        try Task.checkCancellation()
        let engine = engine
        var result: Result?
        try await withoutActuallyEscaping(block) {
            (block: @escaping () throws -> Result) async throws in
            _ = actor
            let write = ActorWrite(engine) { result = try block() }
            try await withTaskCancellationHandler {
                try await write.finished(isolation: actor)
            } onCancel: {
                write.cancel()
            }
        }
        return result!
    }

    /// Advances the realm to the newest version and notifies observers, without blocking the actor.
    ///
    /// Traps if the realm is not confined to the calling actor.
    ///
    /// - Returns: false if there is no newer version, if the task is cancelled, on a frozen realm
    ///   and inside a write transaction.
    @discardableResult
    public func asyncRefresh(_isolation actor: isolated any Actor = #isolation) async -> Bool {
        checkIsolated("asyncRefresh", actor)
        if Task.isCancelled || isFrozen || engine.isInWriteTransaction { return false }
        let before = engine.version
        // Other work of the actor runs first, as after a commit of another thread. That work may
        // advance the realm.
        await Task.yield()
        return Task.isCancelled ? false : refresh() || engine.version != before
    }

    private func checkIsolated(_ name: String, _ actor: any Actor) {
        if !isFrozen, !Scheduler.isContext(of: actor, engine.confinement) {
            throwRealmException(
                "\(name)() can only be called on main thread or actor-isolated Realms")
        }
    }
}

/// A write of a task on an actor. Used on the actor, with two exceptions: any thread may call
/// `cancel`, and the thread that first reports the completed commit resumes the task.
///
/// Not generic, because the runtime would look up the metadata of a generic class at each write.
private final class ActorWrite: @unchecked Sendable {
    private struct Request {
        var id: Instance.AsyncID?
        var isCancelled = false
    }

    private let engine: Instance
    private let request = Mutex(Request())
    private var block: (() throws -> Void)?
    /// Continuation of the task that waits for the write. It receives an error, or nil after
    /// success.
    private var waiter: UnsafeContinuation<(any Swift.Error)?, Never>?

    init(_ engine: Instance, _ block: @escaping () throws -> Void) {
        (self.engine, self.block) = (engine, block)
    }

    func finished(isolation: isolated any Actor) async throws {
        defer { block = nil }
        let failure = await withUnsafeContinuation(isolation: isolation) { waiter in
            self.waiter = waiter
            begin()
        }
        engine.adoptDurableVersion()
        if let failure { throw failure }
    }

    private func begin() {
        do throws(RealmError) {
            let id = try engine.beginAsyncWrite(
                onFailure: { [self] error in end(Realm.Error(error)) },
                { [self] in run() })
            request.withLock { $0.id = id }
        } catch { end(Realm.Error(error)) }
    }

    /// Called when the write transaction has begun. Runs `block` and commits the transaction, or
    /// cancels it if the write was cancelled or the block throws an error.
    private func run() {
        guard !request.withLock({ $0.isCancelled }), let block else {
            engine.cancelWrite()
            return end(CancellationError())
        }
        self.block = nil
        do { try block() } catch {
            if engine.isInWriteTransaction { engine.cancelWrite() }
            return end(error)
        }
        guard engine.isInWriteTransaction else { return end(nil) }
        do throws(RealmError) {
            try engine.commitAsyncWrite(allowGrouping: true, isCompletedAnywhere: true) {
                [self] error in end(error.map { Realm.Error($0) })
            }
        } catch { end(Realm.Error(error)) }
    }

    private func end(_ failure: (any Swift.Error)?) {
        let waiter = waiter
        self.waiter = nil
        waiter?.resume(returning: failure)
    }

    /// Cancels the write. May be called on any thread. If the block has not yet begun, it is not
    /// run, and the request for the write lock is withdrawn.
    func cancel() {
        request.withLock { $0.isCancelled = true }
        _ = engine.confinement.post { [self] in endCancelled() }
    }

    private func endCancelled() {
        guard block != nil, waiter != nil, let id = request.withLock({ $0.id }) else { return }
        block = nil
        engine.cancelAsyncWrite(id)
        end(CancellationError())
    }
}
