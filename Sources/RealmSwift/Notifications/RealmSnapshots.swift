import RealmEngine
import Synchronization

/// Frozen values of a collection, an object or a realm, one for each version in which it differs,
/// as an asynchronous sequence. An addition to the SDK.
///
/// The first value is the current one. A consumer that is slower than the changes receives the
/// newest value; the values between are left out. A value keeps its version in the file as long as
/// it is referenced.
///
/// The sequence may be passed to any task and iterated there, also by several tasks.
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
/// The observation begins in the context of the realm, with the first call of `next`. It ends with
/// the loop, when the task is cancelled, or when the observed object, or the owner of the
/// collection, has been deleted: the loop ends then.
public struct RealmSnapshots<Snapshot>: AsyncSequence, @unchecked Sendable {
    public typealias Element = Snapshot
    public typealias Failure = Never

    private let source: SnapshotSource<Snapshot>

    init(_ source: SnapshotSource<Snapshot>) { self.source = source }

    /// Returns an iterator, which observes from its first call of `next` until it is released.
    public func makeAsyncIterator() -> Iterator { Iterator(SnapshotConsumer(source)) }

    /// Waits for values. Used by one task.
    public struct Iterator: AsyncIteratorProtocol {
        private let consumer: SnapshotConsumer<Snapshot>

        fileprivate init(_ consumer: SnapshotConsumer<Snapshot>) { self.consumer = consumer }

        /// Returns the next value, frozen; nil if the task is cancelled or the observed thing was
        /// deleted. May be called in any context.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Snapshot? {
            await consumer.next(actor)
        }
    }
}

/// A thing that can be observed and frozen. Free to cross threads; the closures are called in the
/// context of the realm.
final class SnapshotSource<Snapshot>: @unchecked Sendable {
    let realm: RealmInstance
    /// Begins an observation. The first closure takes a frozen value, the second is called when no
    /// more can follow.
    let begin:
        (_ value: @escaping (Snapshot) -> Void, _ end: @escaping () -> Void) -> ObservationToken

    /// Traps for a frozen realm, and for one on a plain thread, to which nothing can be delivered.
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

/// The newest value that an iterator has not returned. Free to cross threads.
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
        // The value that it replaces is released outside of the lock.
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

    /// Stores the token of an observation that has begun; ends it if the iterator has ended.
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

/// The state of an iterator. Used by one task.
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
