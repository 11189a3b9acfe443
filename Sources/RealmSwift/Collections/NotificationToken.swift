import Foundation
import RealmEngine

/// Ends an observation when it is invalidated or released.
public class NotificationToken: NSObject, @unchecked Sendable {
    private struct State {
        var token: ObservationToken?
        var keeper: RealmInstance?
        var isInvalid = false
    }

    private let state = LockedValue(State())

    init(_ token: ObservationToken?, keeping realm: RealmInstance?) {
        super.init()
        if let token { start(token, keeping: realm) }
    }

    /// Of an observation that never begins.
    static var inert: NotificationToken {
        let token = NotificationToken(nil, keeping: nil)
        token.invalidate()
        return token
    }

    deinit { invalidate() }

    /// The observation begins elsewhere, once there is a realm for it.
    func start(_ token: ObservationToken, keeping realm: RealmInstance?) {
        let isInvalid = state.withLock { state in
            if !state.isInvalid { (state.token, state.keeper) = (token, realm) }
            return state.isInvalid
        }
        if isInvalid { token.invalidate() }
    }

    /// What the engine calls it; nil before the observation began.
    var engineToken: ObservationToken? { state.withLock { $0.token } }

    /// No call begins after this; false when the observation had ended already.
    @discardableResult
    public func invalidate() -> Bool {
        let (token, wasInvalid, keeper) = state.withLock { state in
            defer { state = State(isInvalid: true) }
            return (state.token, state.isInvalid, Unchecked(state.keeper))
        }
        withExtendedLifetime(keeper) {}
        token?.invalidate()
        return !wasInvalid
    }

    private struct Unchecked<T>: @unchecked Sendable {
        let value: T
        init(_ value: T) { self.value = value }
    }
}

/// What happened to a collection.
@frozen public enum RealmCollectionChange<CollectionType> {
    case initial(CollectionType)
    /// Deletions and modifications are places in the collection before, insertions in the one now.
    /// When the object that has the collection is deleted, all elements are deletions.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never sent.
    case error(Swift.Error)
}

/// What happened to a map.
@frozen public enum RealmMapChange<Collection: RealmKeyedCollection> {
    case initial(Collection)
    /// When the object that has the map is deleted, all keys are deletions.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key],
        modifications: [Collection.Key])
    /// Never sent.
    case error(Swift.Error)
}

/// A property that changed.
public struct PropertyChange {
    public let name: String
    /// Nil for collections.
    public let oldValue: Any?
    public let newValue: Any?
}

/// What happened to an object.
@frozen public enum ObjectChange<T> {
    /// Never sent.
    case error(_ error: NSError)
    case change(_: T, _: [PropertyChange])
    case deleted
}
