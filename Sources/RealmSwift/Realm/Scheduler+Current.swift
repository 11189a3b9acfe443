import CRealmSystem
import RealmEngine

/// Finds the context of the caller.
extension Scheduler {
    /// Returns the context of the caller: the main queue, an actor, a serial queue on which a realm
    /// is open, or the calling thread.
    ///
    /// An actor with its own executor is found only while a realm is open on it, because the actor
    /// cannot be determined from its executor.
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

    /// Whether the caller runs on an actor that is its own executor. False on an actor with another
    /// executor.
    static var isOnActorItself: Bool { realm_current_actor() != nil }

    private struct NotedPlace {
        weak var place: Confinement?
    }

    /// Contexts of open realms that `current` cannot determine from the running code: queues, and
    /// actors with their own executors. `current` finds them in this list.
    private static let noted = LockedValue<[NotedPlace]>([])

    /// Stores a context in `noted`, so that `current` can return it. The context is not retained.
    static func note(_ place: Confinement) {
        noted.withLock { noted in
            if noted.count > 64 { noted.removeAll { $0.place == nil } }
            noted.append(NotedPlace(place: place))
        }
    }
}
