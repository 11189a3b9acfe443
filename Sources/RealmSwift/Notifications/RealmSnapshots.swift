import RealmEngine
import Synchronization

/// Frozen versions of a collection, an object or a realm, as an asynchronous sequence. An addition
/// to the SDK.
///
/// The first element is the value as it is now; each further element is the value after a change. A
/// consumer that is slower than the changes skips versions and receives the newest one. As long as
/// an element is referenced, its version remains in the file.
///
/// The sequence may be passed to any task and iterated there, also by several tasks at once.
///
/// ```swift
/// actor Kennel {
///     private var realm: Realm!
///     init() async throws { realm = try await Realm(actor: self) }
///     var dogs: RealmSnapshots<Results<Dog>> { realm.objects(Dog.self).values }
/// }
///
/// for await dogs in await kennel.dogs { print(dogs.count) }
/// ```
///
/// An observation begins with the first call of `next`, on the realm's own thread, queue or actor.
/// It ends when the iterator is released or the task is cancelled. The sequence ends when the
/// observed object, or the owner of the collection, is deleted.
public struct RealmSnapshots<Snapshot>: AsyncSequence, @unchecked Sendable {
    /// A frozen copy of the observed value.
    public typealias Element = Snapshot
    /// The sequence throws no errors.
    public typealias Failure = Never

    private let source: SnapshotSource<Snapshot>

    init(_ source: SnapshotSource<Snapshot>) { self.source = source }

    /// Returns an iterator, which observes from its first call of `next` until it is released.
    public func makeAsyncIterator() -> Iterator { Iterator(SnapshotConsumer(source)) }

    /// Waits for frozen values. To be used by one task, on any actor.
    public struct Iterator: AsyncIteratorProtocol {
        private let consumer: SnapshotConsumer<Snapshot>

        fileprivate init(_ consumer: SnapshotConsumer<Snapshot>) { self.consumer = consumer }

        /// Returns the next frozen value; nil if the task is cancelled, or if the observed object
        /// or the owner of the collection was deleted. May be called in any context.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Snapshot? {
            await consumer.next(actor)
        }
    }
}

/// A value that can be observed and frozen. May be used on any thread; the closures are called on
/// the thread, queue or actor of the realm.
final class SnapshotSource<Snapshot>: @unchecked Sendable {
    let realm: RealmInstance
    /// Begins an observation. It passes frozen values to the first closure, and calls the second
    /// closure when no further values follow.
    let begin:
        (_ value: @escaping (Snapshot) -> Void, _ end: @escaping () -> Void) -> ObservationToken

    /// Makes a source of frozen copies of one value of `realm`, such as a collection. Traps for a
    /// frozen realm. Also traps for a realm that is confined to a plain thread, because only queues
    /// and actors can receive notifications.
    ///
    /// - Parameter begin: see the property `begin`.
    init(
        _ realm: RealmInstance,
        _ begin:
            @escaping (_ value: @escaping (Snapshot) -> Void, _ end: @escaping () -> Void) ->
            ObservationToken
    ) {
        if realm.isFrozen {
            throwRealmException(
                "Frozen Realms do not change and do not have change notifications.")
        }
        if !realm.engine.confinement.isDeliverable {
            throwRealmException(
                "Values can only be observed on the main queue, a serial queue or an actor.")
        }
        (self.realm, self.begin) = (realm, begin)
    }
}

/// The newest value that an iterator has not yet returned. May be used on any thread.
private final class SnapshotBox<Snapshot>: Sendable {
    private struct State {
        var value: ThreadTransfer<Snapshot>?
        var token: ObservationToken?
        var isEnded = false
    }

    private let state = LockedValue(State())
    let signal = ChangeSignal()

    func put(_ value: Snapshot) {
        let fresh = ThreadTransfer(value)
        // The replaced value is released outside of the lock.
        let old = state.withLock { state in
            defer { state.value = fresh }
            return state.value
        }
        withExtendedLifetime(old) {}
        signal.set()
    }

    func take() -> Snapshot? {
        state.withLock { state in
            defer { state.value = nil }
            return state.value
        }?.value
    }

    /// Stores the token after an observation has begun. If the iterator has ended meanwhile, ends
    /// the observation.
    func start(_ token: ObservationToken) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.token = token }
            return state.isEnded
        }
        if isEnded { token.invalidate() }
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func end() {
        let last = state.withLock { state in
            defer { state = State(isEnded: true) }
            return state
        }
        last.token?.invalidate()
        signal.end()
    }
}

/// State of one iterator over the snapshots. Used by one task only.
private final class SnapshotConsumer<Snapshot> {
    private let source: SnapshotSource<Snapshot>
    private let box = SnapshotBox<Snapshot>()
    private var hasBegun = false

    init(_ source: SnapshotSource<Snapshot>) { self.source = source }

    deinit { box.end() }

    func next(_ actor: isolated (any Actor)?) async -> Snapshot? {
        if !hasBegun { begin() }
        while !Task.isCancelled {
            let isLast = box.signal.isEnded
            if let value = box.take() { return value }
            if isLast { break }
            await box.signal.wait(isolation: actor)
        }
        box.end()
        return nil
    }

    private func begin() {
        hasBegun = true
        let isPosted = source.realm.engine.confinement.post { [source, box] in
            if box.isEnded { return }
            box.start(
                source.begin({ [weak box] in box?.put($0) }, { [weak box] in box?.signal.end() }))
        }
        if !isPosted { box.end() }
    }
}
