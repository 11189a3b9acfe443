import CRealmSystem
import RealmEngine

/// Finds the context that the caller is in.
extension Scheduler {
    /// Returns the context that the caller is in: the main queue, an actor, a serial queue on which
    /// a realm is open, else the calling thread.
    ///
    /// An actor with an executor of its own is found only while a realm is open on it, since an
    /// executor does not identify its actors.
    static func current() -> Confinement {
        let place = here()
        if place === main { return place }
        if let address = realm_current_actor() {
            let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
            if let actor = object as? any Actor { return Scheduler.actor(actor) }
        }
        guard realm_current_executor() != nil || isOnKnownQueue else { return place }
        return noted.withLock { $0.compactMap(\.place) }.first(where: \.passesTest) ?? place
    }

    /// Whether the executor of the caller is an actor, not an executor that an actor has.
    static var isOnActorItself: Bool { realm_current_actor() != nil }

    private struct NotedPlace {
        weak var place: Confinement?
    }

    /// Contexts of open realms that `current` cannot create.
    private static let noted = LockedValue<[NotedPlace]>([])

    /// Lets `current` find a context as long as a realm is open in it.
    static func note(_ place: Confinement) {
        noted.withLock { noted in
            if noted.count > 64 { noted.removeAll { $0.place == nil } }
            noted.append(NotedPlace(place: place))
        }
    }
}
