import Dispatch
import Foundation
import RealmEngine

/// A request to begin an observation in another context (queue or actor). `begin` receives the
/// realm that is opened in that context.
private struct CarriedObservation: @unchecked Sendable {
    let begin: (RealmInstance) -> ObservationToken?
    /// Reports that the realm could not be opened.
    let fail: (any Swift.Error) -> Void
    private(set) weak var token: NotificationToken?
}

/// Begins an observation of `thing`, a collection, object or sections. Without a queue, begins it
/// now, in the context of `thing`. With a queue, opens a realm on that queue later and begins the
/// observation there.
func observe<Thing: ThreadConfined, Change>(
    _ thing: Thing, on queue: DispatchQueue?, _ block: @escaping (Change) -> Void,
    _ begin: @escaping (Thing, @escaping (Change) -> Void) -> ObservationToken
) -> NotificationToken {
    guard let queue else {
        return NotificationToken(
            begin(thing, block), keeping: (thing as? any ThreadTransferable)?.instance)
    }
    let realm = observable(thing)
    let reference = ThreadSafeReference(to: thing)
    let configuration = realm.configuration
    let token = NotificationToken(nil, keeping: nil)
    let carried = CarriedObservation(
        begin: { realm in reference.resolve(in: realm).map { begin($0, block) } },
        fail: { error in report(error, to: block) }, token: token)
    queue.async {
        guard carried.token != nil else { return }
        do {
            let realm = try RealmInstance.open(configuration, on: Scheduler.queue(queue))
            guard let observation = carried.begin(realm) else { return }
            carried.token?.start(observation, keeping: realm)
        } catch { carried.fail(error) }
    }
    return token
}

/// Begins an observation on an actor, with a realm that is opened there. The observation has begun
/// when this function returns. Returns a token without an observation if the task is cancelled or the
/// realm cannot be opened.
func observe<Thing: ThreadConfined, Change, A: Actor>(
    _ thing: Thing, on actor: A,
    _ block: @Sendable @escaping (isolated A, Change) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    _ begin: @escaping (Thing, @escaping (Change) -> Void) -> ObservationToken
) async -> NotificationToken {
    let realm = observable(thing)
    let reference = ThreadSafeReference(to: thing)
    let carried = CarriedObservation(
        begin: { realm in
            reference.resolve(in: realm).map { begin($0) { actor.deliver($0, block) } }
        },
        fail: { error in report(error) { (change: Change) in actor.deliver(change, block) } },
        token: nil)
    return await actor.begin(carried, realm.configuration)
}

/// Returns the realm of a value that another context is to observe. Traps for unmanaged and frozen
/// values.
private func observable<Thing: ThreadConfined>(_ thing: Thing) -> RealmInstance {
    guard let realm = (thing as? any ThreadTransferable)?.instance else {
        throwRealmException("Change notifications are only supported on managed collections.")
    }
    if realm.isFrozen {
        throwRealmException(
            "Frozen Realms do not change and do not have change notifications.")
    }
    return realm
}

extension Actor {
    fileprivate func begin(
        _ carried: CarriedObservation, _ configuration: Realm.Configuration
    ) -> NotificationToken {
        if Task.isCancelled { return .inert }
        do {
            let realm = try RealmInstance.open(configuration, on: Scheduler.actor(self))
            guard let observation = carried.begin(realm) else { return .inert }
            return NotificationToken(observation, keeping: realm)
        } catch {
            carried.fail(error)
            return .inert
        }
    }

    /// Calls `block` on the actor. The caller must already be running on the actor.
    fileprivate nonisolated func deliver<Change>(
        _ change: Change, _ block: @Sendable (isolated Self, Change) -> Void
    ) {
        let carried = ThreadTransfer(change)
        assumeIsolated { block($0, carried.value) }
    }
}

/// A change that can report that an observation could not begin.
private protocol FailableChange {
    static func failure(_ error: any Swift.Error) -> Self
}

extension RealmCollectionChange: FailableChange {
    fileprivate static func failure(_ error: any Swift.Error) -> Self { .error(error) }
}

extension RealmMapChange: FailableChange {
    fileprivate static func failure(_ error: any Swift.Error) -> Self { .error(error) }
}

extension ObjectChange: FailableChange {
    fileprivate static func failure(_ error: any Swift.Error) -> Self { .error(error as NSError) }
}

/// Calls `block` with an error, or logs the error if a change of this type cannot have one.
private func report<Change>(_ error: any Swift.Error, to block: (Change) -> Void) {
    let type = Change.self as? any FailableChange.Type
    if let change = type?.failure(error) as? Change { return block(change) }
    Logger.logToShared(.error, "an observation could not begin: \(error.localizedDescription)")
}
