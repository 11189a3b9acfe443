import Foundation
import RealmEngine

/// Keeps an observation active. The observation ends when the token is invalidated or released.
///
/// A token may be used and released on any thread.
///
/// ```swift
/// let token = realm.objects(Dog.self).observe { change in
///     if case .update(let dogs, _, let insertions, _) = change {
///         for index in insertions { print("new:", dogs[index].name) }
///     }
/// }
/// // Later:
/// token.invalidate()
/// ```
public class NotificationToken: NSObject, @unchecked Sendable {
    private struct State {
        var token: ObservationToken?
        var keepAlive: RealmInstance?
        var isInvalid = false
    }

    private let state = LockedValue(State())

    init(_ token: ObservationToken?, keeping realm: RealmInstance?) {
        super.init()
        if let token { start(token, keeping: realm) }
    }

    /// A token without an observation, for a task that is cancelled before its observation begins.
    static var inert: NotificationToken {
        let token = NotificationToken(nil, keeping: nil)
        token.invalidate()
        return token
    }

    deinit { invalidate() }

    /// Stores the engine's token after an observation has begun in another context. If this token
    /// was invalidated meanwhile, ends the observation.
    func start(_ token: ObservationToken, keeping realm: RealmInstance?) {
        let isInvalid = state.withLock { state in
            if !state.isInvalid { (state.token, state.keepAlive) = (token, realm) }
            return state.isInvalid
        }
        if isInvalid { token.invalidate() }
    }

    /// The engine's token; nil before the observation has begun.
    var engineToken: ObservationToken? { state.withLock { $0.token } }

    /// Ends the observation. No call of the observer's block begins after this function has
    /// returned.
    ///
    /// - Returns: false if the observation had already ended.
    @discardableResult
    public func invalidate() -> Bool {
        let (token, wasInvalid, keepAlive) = state.withLock { state in
            defer { state = State(isInvalid: true) }
            return (state.token, state.isInvalid, Unchecked(state.keepAlive))
        }
        withExtendedLifetime(keepAlive) {}
        token?.invalidate()
        return !wasInvalid
    }

    private struct Unchecked<T>: @unchecked Sendable {
        let value: T
        init(_ value: T) { self.value = value }
    }
}

/// A change of a collection, as observers receive it.
@frozen public enum RealmCollectionChange<CollectionType> {
    /// The first call, with the initial collection.
    case initial(CollectionType)
    /// A later call, with the changed collection. Deletions and modifications are positions in the
    /// previous collection. Insertions are positions in the changed collection. All positions are
    /// ascending.
    ///
    /// To update a copy, apply deletions first, then insertions, then modifications. When the owner
    /// of the collection is deleted, all elements are reported as deletions.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// The realm could not be opened on the queue or actor that was given for the calls. No further
    /// calls follow.
    case error(Swift.Error)
}

/// A change of a map, as observers receive it.
@frozen public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The first call, with the initial map.
    case initial(Collection)
    /// A later call, with the changed map and the keys of the entries that changed. When the owner
    /// of the map is deleted, all keys are reported as deletions.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key],
        modifications: [Collection.Key])
    /// The realm could not be opened on the queue or actor that was given for the calls. No further
    /// calls follow.
    case error(Swift.Error)
}

/// A property of an object that changed.
public struct PropertyChange {
    /// Name of the property.
    public let name: String
    /// The value before the change; nil for collections, and for changes that were made through the
    /// observed realm itself.
    public let oldValue: Any?
    /// The value after the change; nil for collections.
    public let newValue: Any?
}

/// A change of an object, as observers receive it.
@frozen public enum ObjectChange<T> {
    /// The realm could not be opened on the queue or actor that was given for the calls. No further
    /// calls follow.
    case error(_ error: NSError)
    /// A property changed. Contains the object and the properties that changed.
    case change(_: T, _: [PropertyChange])
    /// The object was deleted. No further calls follow.
    case deleted
}
