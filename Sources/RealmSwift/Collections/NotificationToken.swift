import Foundation
import RealmEngine

/// Keeps an observation alive. The observation ends when the token is invalidated or released.
///
/// May be used and released on any thread.
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

    /// Token of an observation that never begins.
    static var inert: NotificationToken {
        let token = NotificationToken(nil, keeping: nil)
        token.invalidate()
        return token
    }

    deinit { invalidate() }

    /// Stores the engine's token of an observation that began in another context; ends the
    /// observation if this token is already invalid.
    func start(_ token: ObservationToken, keeping realm: RealmInstance?) {
        let isInvalid = state.withLock { state in
            if !state.isInvalid { (state.token, state.keepAlive) = (token, realm) }
            return state.isInvalid
        }
        if isInvalid { token.invalidate() }
    }

    /// The engine's token; nil before the observation has begun.
    var engineToken: ObservationToken? { state.withLock { $0.token } }

    /// Ends the observation: no new call of its block begins after this returns.
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
    /// The first call, with the collection as it is.
    case initial(CollectionType)
    /// The collection after a change. Deletions and modifications are positions in the previous
    /// collection, insertions are positions in this one; all ascending.
    ///
    /// To update a copy, apply deletions first, then insertions, then modifications. When the owner
    /// of the collection is deleted, all elements are deletions.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// The SDK's case; never sent.
    case error(Swift.Error)
}

/// A change of a map, as observers receive it.
@frozen public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The first call, with the map as it is.
    case initial(Collection)
    /// The map after a change, with the keys of the entries that changed. When the owner of the map
    /// is deleted, all keys are deletions.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key],
        modifications: [Collection.Key])
    /// The SDK's case; never sent.
    case error(Swift.Error)
}

/// A property of an object that changed.
public struct PropertyChange {
    /// Name of the property.
    public let name: String
    /// The value before the change; nil for collections, and for changes made by this realm itself.
    public let oldValue: Any?
    /// The value after the change; nil for collections.
    public let newValue: Any?
}

/// A change of an object, as observers receive it.
@frozen public enum ObjectChange<T> {
    /// The SDK's case; never sent.
    case error(_ error: NSError)
    /// The object after a change, with the properties that changed.
    case change(_: T, _: [PropertyChange])
    /// The object was deleted. No further calls follow.
    case deleted
}
