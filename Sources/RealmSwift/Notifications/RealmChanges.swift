import RealmEngine

/// The changes of a collection, an object or a realm, as an asynchronous sequence. An addition to
/// the SDK.
///
/// Iterate it in code that runs on the realm's actor, where the live values in the changes may be
/// used. When `next` returns a change, the realm is at the version after that change. If several
/// changes occur before the consumer requests the next one, they are merged into one.
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
/// An observation begins when an iterator is created, and ends when the iterator is released or the
/// task is cancelled. The sequence ends when the observed object, or the owner of the collection,
/// is deleted.
///
/// Iterating traps outside of the realm's actor, on a frozen or read-only realm, and in a write
/// transaction that has made changes.
public struct RealmChanges<Change>: AsyncSequence {
    /// A change of the observed value.
    public typealias Element = Change
    /// The sequence throws no errors.
    public typealias Failure = Never

    private let source: ChangeSource<Change>

    init(_ source: ChangeSource<Change>) { self.source = source }

    /// Returns an iterator, which observes until it is released. Must be called on the realm's
    /// actor.
    public func makeAsyncIterator() -> Iterator { Iterator(ChangeConsumer(source)) }

    /// Waits for changes. To be used by one task, on the realm's actor.
    public struct Iterator: AsyncIteratorProtocol {
        private let consumer: ChangeConsumer<Change>

        fileprivate init(_ consumer: ChangeConsumer<Change>) { self.consumer = consumer }

        /// Returns the next change; nil if the task is cancelled, or if the observed object or the
        /// owner of the collection was deleted. Traps outside of the realm's actor.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Change? {
            await consumer.next(actor)
        }
    }
}

/// Begins observations of a value (collection, object, map or sections) and merges its changes.
/// Confined to the same context as the value.
struct ChangeSource<Change> {
    let realm: RealmInstance
    /// Begins an observation. It calls `wake` after each change, and `end` when no further changes
    /// follow.
    let begin: (_ wake: @escaping () -> Void, _ end: @escaping () -> Void) -> Observation

    /// A running observation.
    struct Observation {
        let token: ObservationToken
        /// Returns the changes since the last call, merged into one; nil if there are none.
        let take: () -> Change?
    }

    /// Creates a source that merges each change with those that the consumer has not yet taken.
    ///
    /// - Parameter merge: returns one change with the effect of two; nil if they cancel each other.
    /// - Parameter begin: begins an observation. It passes changes to the first closure, and calls
    ///   the second closure when no further changes follow.
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

/// State of one iterator over the changes. Confined to the realm's actor.
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
            // Delivers the changes of commits that followed after the task was woken.
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
