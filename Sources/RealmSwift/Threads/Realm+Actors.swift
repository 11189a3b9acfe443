import Dispatch
import Foundation
import RealmActors
import RealmEngine

/// Realms of actors (API specification 3.4): opened on them, and used there only.
extension Realm {
    /// When a realm is opened that another program may have made. Of files alone it makes no difference.
    @frozen public enum OpenBehavior: Sendable { case never, always, once }

    /// The realm of the main actor. Throws `Realm.Error`, and `CancellationError` when the task was
    /// cancelled.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        try Task.checkCancellation()
        self.init(try RealmInstance.open(configuration, on: Scheduler.main))
    }

    /// The realm of `actor`.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        self.init(try await actor.open(configuration).value)
    }

    /// The realm of the actor that asks.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated any Actor = #isolation,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        try Task.checkCancellation()
        return Realm(try RealmInstance.open(configuration, on: Scheduler.actor(actor)))
    }

    /// Opens the realm on a queue, or at the main one, and calls back there.
    @discardableResult
    public static func asyncOpen(
        configuration: Realm.Configuration = .defaultConfiguration,
        callbackQueue: DispatchQueue = .main,
        callback: @escaping (Result<Realm, Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask(state: AsyncOpenTask.State())
        let carried = Carried(callback)
        callbackQueue.async {
            if task.state.isCancelled { return }
            carried.value(Result { try Realm(configuration: configuration, queue: callbackQueue) })
        }
        return task
    }

    /// An opening that is under way.
    @frozen public struct AsyncOpenTask: Sendable {
        @usableFromInline
        final class State: @unchecked Sendable {
            private let lock = NSLock()
            private var flag = false
            var isCancelled: Bool { lock.withLock { flag } }
            func cancel() { lock.withLock { flag = true } }
        }

        @usableFromInline let state: State

        /// The callback is not called any more.
        public func cancel() { state.cancel() }
    }
}

extension Actor {
    fileprivate func open(_ configuration: Realm.Configuration) throws -> Carried<RealmInstance> {
        try Task.checkCancellation()
        return Carried(try RealmInstance.open(configuration, on: Scheduler.actor(self)))
    }
}

extension Scheduler {
    /// Of an actor, which the caller must be on. The main actor is the main queue.
    static func actor(_ actor: any Actor) -> Confinement {
        if actor is MainActor { return main }
        func made<A: Actor>(_ actor: A) -> Confinement { Confinement(actor) }
        return made(actor)
    }

    /// Whether `place` is what `actor(actor)` makes.
    static func isPlace(of actor: any Actor, _ place: Confinement) -> Bool {
        place.isPlace(of: actor) || (actor is MainActor && place.isSame(as: main))
    }
}
