import Foundation
import RealmEngine

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
        return try await withoutActuallyEscaping(block) {
            (block: @escaping () throws -> Result) async throws -> Result in
            _ = actor
            let write = ActorWrite(engine, block)
            return try await withTaskCancellationHandler {
                try await write.finished(isolation: actor)
            } onCancel: {
                write.cancel()
            }
        }
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
        let place = Scheduler.actor(actor)
        if !isFrozen, !engine.confinement.isSame(as: place) {
            throwRealmException(
                "\(name)() can only be called on main thread or actor-isolated Realms")
        }
    }
}

/// A write that a task of an actor waits for. Used on the actor but for `cancel`, and for the end of a
/// commit, of which the task is told by whoever knows first.
private final class ActorWrite<Result>: @unchecked Sendable {
    private let engine: Instance
    private let lock = NSLock()
    private var block: (() throws -> Result)?
    private var isCancelled = false
    private var id: Instance.AsyncID?
    private var waiter: CheckedContinuation<Carried<Swift.Result<Result, Swift.Error>>, Never>?
    private var outcome: Swift.Result<Result, Swift.Error>?

    init(_ engine: Instance, _ block: @escaping () throws -> Result) {
        (self.engine, self.block) = (engine, block)
    }

    func finished(isolation: isolated any Actor) async throws -> Result {
        defer { block = nil }
        let outcome = await withCheckedContinuation(isolation: isolation) { waiter in
            self.waiter = waiter
            begin()
        }.value
        engine.settle()
        return try outcome.get()
    }

    private func begin() {
        do throws(RealmError) {
            let id = try engine.beginAsyncWrite(
                onFailure: { [self] error in end(.failure(Realm.Error(error))) },
                { [self] in run() })
            lock.withLock { self.id = id }
        } catch { end(.failure(Realm.Error(error))) }
    }

    /// In the transaction.
    private func run() {
        guard !lock.withLock({ isCancelled }), let block else {
            engine.cancelWrite()
            return end(.failure(CancellationError()))
        }
        self.block = nil
        let outcome = Swift.Result { try block() }
        guard engine.isInWriteTransaction else { return end(outcome) }
        guard case .success = outcome else {
            engine.cancelWrite()
            return end(outcome)
        }
        self.outcome = outcome
        do throws(RealmError) {
            try engine.commitAsyncWrite(allowGrouping: true, isCompletedAnywhere: true) {
                [self] error in
                end(error.map { .failure(Realm.Error($0)) } ?? self.outcome!)
            }
        } catch { end(.failure(Realm.Error(error))) }
    }

    private func end(_ outcome: Swift.Result<Result, Swift.Error>) {
        let waiter = waiter
        self.waiter = nil
        waiter?.resume(returning: Carried(outcome))
    }

    /// On any thread: a block that has not begun does not run, and nobody waits for its turn.
    func cancel() {
        lock.withLock { isCancelled = true }
        _ = engine.confinement.post { [self] in endCancelled() }
    }

    private func endCancelled() {
        guard block != nil, waiter != nil, let id = lock.withLock({ id }) else { return }
        block = nil
        engine.cancelAsyncWrite(id)
        end(.failure(CancellationError()))
    }
}
