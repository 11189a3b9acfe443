import Dispatch
import Foundation
import RealmActors
import RealmEngine

/// Opens realms that are confined to an actor (API specification 3.4).
extension Realm {
    /// When a synchronized realm is downloaded before it is opened. Has no effect on local files;
    /// exists for source compatibility with the SDK.
    @frozen public enum OpenBehavior: Sendable { case never, always, once }

    /// Opens a realm that is confined to the main actor. May be called in any context.
    ///
    /// - Parameter downloadBeforeOpen: has no effect on local files.
    /// - Throws: `Realm.Error`; `CancellationError` if the task is cancelled.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        try Task.checkCancellation()
        self.init(try RealmInstance.open(configuration, on: Scheduler.main))
    }

    /// Opens a realm that is confined to `actor`: it may be used only in code that runs on the
    /// actor. May be called in any context, also in the initializer of the actor.
    ///
    /// ```swift
    /// actor Kennel {
    ///     private var realm: Realm!
    ///     init() async throws { realm = try await Realm(actor: self) }
    /// }
    /// ```
    ///
    /// - Parameter downloadBeforeOpen: has no effect on local files.
    /// - Throws: `Realm.Error`; `CancellationError` if the task is cancelled.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        self.init(try await actor.open(configuration).value)
    }

    /// Opens a realm that is confined to the actor of the caller.
    ///
    /// - Parameter downloadBeforeOpen: has no effect on local files.
    /// - Throws: `Realm.Error`; `CancellationError` if the task is cancelled.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated any Actor = #isolation,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        try Task.checkCancellation()
        return Realm(try RealmInstance.open(configuration, on: Scheduler.actor(actor)))
    }

    /// Opens a realm asynchronously on a queue, and calls `callback` on that queue. May be called
    /// on any thread.
    ///
    /// ```swift
    /// Realm.asyncOpen(callbackQueue: queue) { result in
    ///     switch result {
    ///     case .success(let realm): print(realm.objects(Dog.self).count)
    ///     case .failure(let error): print(error)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter callbackQueue: a serial queue, to which the realm is confined.
    /// - Parameter callback: receives the realm, or the error that opening threw.
    /// - Returns: a task that can be used to cancel the opening.
    @discardableResult
    public static func asyncOpen(
        configuration: Realm.Configuration = .defaultConfiguration,
        callbackQueue: DispatchQueue = .main,
        callback: @escaping (Result<Realm, Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask(state: AsyncOpenTask.State())
        let carried = ThreadTransfer(callback)
        callbackQueue.async {
            if task.state.isCancelled { return }
            carried.value(Result { try Realm(configuration: configuration, queue: callbackQueue) })
        }
        return task
    }

    /// An asynchronous opening that `Realm.asyncOpen` has started. May be used on any thread.
    @frozen public struct AsyncOpenTask: Sendable {
        @usableFromInline
        final class State: @unchecked Sendable {
            private let lock = NSLock()
            private var flag = false
            var isCancelled: Bool { lock.withLock { flag } }
            func cancel() { lock.withLock { flag = true } }
        }

        @usableFromInline let state: State

        /// Cancels the opening. The callback is not called, unless the call has already begun.
        public func cancel() { state.cancel() }
    }
}

extension Actor {
    fileprivate func open(_ configuration: Realm.Configuration) throws -> ThreadTransfer<
        RealmInstance
    > {
        try Task.checkCancellation()
        return ThreadTransfer(try RealmInstance.open(configuration, on: Scheduler.actor(self)))
    }
}

extension Scheduler {
    /// Returns the context of an actor. The caller must be running on the actor. The context of the
    /// main actor is the main queue.
    static func actor(_ actor: any Actor) -> Confinement {
        if actor is MainActor { return main }
        func made<A: Actor>(_ actor: A) -> Confinement { Confinement(actor) }
        let place = made(actor)
        if !isOnActorItself { note(place) }
        return place
    }

    /// Whether `place` is the context that `actor(actor)` returns.
    static func isContext(of actor: any Actor, _ place: Confinement) -> Bool {
        place.isContext(of: actor) || (actor is MainActor && place.isSame(as: main))
    }
}
