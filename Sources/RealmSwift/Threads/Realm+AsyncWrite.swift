import RealmEngine
import Synchronization

/// Writing and moving on without holding up an actor (API specification 2.1).
extension Realm {
    /// Runs `block` in a write transaction once it is this realm's turn, and returns when what it did is
    /// durable. Throws what the block throws, after everything was taken back, and `CancellationError`
    /// when the task was cancelled before the block ran.
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

    /// Moves to the version that is the newest when this is called, or a newer one; false when there is
    /// nothing newer, and when the task was cancelled.
    @discardableResult
    public func asyncRefresh(_isolation actor: isolated any Actor = #isolation) async -> Bool {
        checkIsolated("asyncRefresh", actor)
        if Task.isCancelled || isFrozen || engine.isInWriteTransaction { return false }
        let before = engine.version
        // Others of the actor get their turn, as if somebody else had looked; they may move the realm.
        await Task.yield()
        return Task.isCancelled ? false : refresh() || engine.version != before
    }

    private func checkIsolated(_ name: String, _ actor: any Actor) {
        if !isFrozen, !Scheduler.isPlace(of: actor, engine.confinement) {
            throwRealmException(
                "\(name)() can only be called on main thread or actor-isolated Realms")
        }
    }
}

/// A write that a task of an actor waits for. Used on the actor but for `cancel`, and for the end of a
/// commit, of which the task is told by whoever knows first.
///
/// Not generic: what depends on a type would be looked up anew for each write.
private final class ActorWrite: @unchecked Sendable {
    private struct Request {
        var id: Instance.AsyncID?
        var isCancelled = false
    }

    private let engine: Instance
    private let request = Mutex(Request())
    private var block: (() throws -> Void)?
    /// Told why it came to nothing, if it did.
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

    /// In the transaction.
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

    /// On any thread: a block that has not begun does not run, and nobody waits for its turn.
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
