import RealmEngine

/// The changes of a collection, an object or a realm, as an asynchronous sequence. An addition to
/// the SDK.
///
/// Iterated in code that runs on the actor of the realm, where its live values may be used. When
/// `next` returns, the realm is at the version that the change leads to. A consumer that is slower
/// than the changes receives the changes that it missed as one.
///
/// ```swift
/// actor Kennel {
///     private var realm: Realm!
///     init() async throws { realm = try await Realm(actor: self) }
///
///     func follow() async {
///         for await change in realm.objects(Dog.self).changes {
///             guard case .update(let dogs, _, let insertions, _) = change else { continue }
///             for index in insertions { print("new:", dogs[index].name) }
///         }
///     }
/// }
/// ```
///
/// The observation begins with the iterator. It ends with the loop, when the task is cancelled, or
/// when the observed object, or the owner of the collection, has been deleted: the loop ends then.
///
/// Iterating traps outside of the realm's actor, on a frozen or read-only realm, and after changes
/// in an open write transaction.
public struct RealmChanges<Change>: AsyncSequence {
    public typealias Element = Change
    public typealias Failure = Never

    private let source: ChangeSource<Change>

    init(_ source: ChangeSource<Change>) { self.source = source }

    /// Returns an iterator, which observes until it is released. Called on the realm's actor.
    public func makeAsyncIterator() -> Iterator { Iterator(ChangeConsumer(source)) }

    /// Waits for changes. Used by one task.
    public struct Iterator: AsyncIteratorProtocol {
        private let consumer: ChangeConsumer<Change>

        fileprivate init(_ consumer: ChangeConsumer<Change>) { self.consumer = consumer }

        /// Returns the next change; nil if the task is cancelled or the observed thing was deleted.
        /// Traps outside of the realm's actor.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Change? {
            await consumer.next(actor)
        }
    }
}

/// A thing that can be observed, with the rules that combine its changes. Confined like the thing.
struct ChangeSource<Change> {
    let realm: RealmInstance
    /// Begins an observation. `wake` is called after each change, `end` when no more can follow.
    let begin: (_ wake: @escaping () -> Void, _ end: @escaping () -> Void) -> Observation

    /// An observation that has begun.
    struct Observation {
        let token: ObservationToken
        /// Returns the changes since the last call as one; nil if there is none.
        let take: () -> Change?
    }

    /// Makes a source whose changes are combined one by one.
    ///
    /// - Parameter merge: returns the change that has the effect of two; nil if they cancel each
    ///   other.
    /// - Parameter begin: begins an observation. The first closure takes a change, the second is
    ///   called when no more can follow.
    init(
        _ realm: RealmInstance, merging merge: @escaping (Change, Change) -> Change?,
        _ begin:
            @escaping (_ change: @escaping (Change) -> Void, _ end: @escaping () -> Void) ->
            ObservationToken
    ) {
        self.init(realm) { wake, end in
            var pending: Change?
            let token = begin(
                { change in
                    if let known = pending {
                        pending = merge(known, change)
                    } else {
                        pending = change
                    }
                    wake()
                }, end)
            return Observation(token: token) {
                defer { pending = nil }
                return pending
            }
        }
    }

    init(
        _ realm: RealmInstance,
        begin:
            @escaping (_ wake: @escaping () -> Void, _ end: @escaping () -> Void) -> Observation
    ) {
        (self.realm, self.begin) = (realm, begin)
    }
}

/// The state of an iterator. Confined to the actor of the realm.
final class ChangeConsumer<Change> {
    private let source: ChangeSource<Change>
    private let signal = ChangeSignal()
    private var observation: ChangeSource<Change>.Observation?

    init(_ source: ChangeSource<Change>) {
        self.source = source
        observation = source.begin({ [signal] in signal.set() }, { [signal] in signal.end() })
    }

    func next(_ actor: isolated (any Actor)?) async -> Change? {
        if observation != nil { checkIsolated(actor) }
        while let observation, !Task.isCancelled {
            // The realm may have moved on since the task was woken.
            source.realm.engine.deliverPending()
            let isLast = signal.isEnded
            if let change = observation.take() { return change }
            if isLast { break }
            await signal.wait(isolation: actor)
        }
        signal.end()
        observation = nil
        return nil
    }

    private func checkIsolated(_ actor: (any Actor)?) {
        let place = source.realm.engine.confinement
        if let actor, Scheduler.isContext(of: actor, place) { return }
        throwRealmException(
            "Changes can only be iterated on the main actor or the actor of their Realm.")
    }
}
