import Dispatch
import Foundation
import RealmEngine

/// Where realms are confined to (API specification 3.3): the main queue, a serial queue, or a thread.
enum Scheduler {
    /// Of the place that asks: the main queue for the initial thread and everything on that queue, else
    /// the thread.
    static func here() -> Confinement { isOnMain ? main : .thread }

    /// Of a serial queue, which the caller must be on.
    static func queue(_ queue: DispatchQueue) -> Confinement {
        if queue === DispatchQueue.main {
            if !isOnMain { wrongQueue() }
            return main
        }
        let id = ObjectIdentifier(queue)
        queue.setSpecific(key: queueKey, value: id)
        if DispatchQueue.getSpecific(key: queueKey) != id { wrongQueue() }
        return Confinement(
            .object(id), name: "queue '\(queue.label)'",
            isCurrent: { DispatchQueue.getSpecific(key: queueKey) == id },
            send: { work in
                queue.async(execute: work)
                return true
            })
    }

    private static func wrongQueue() -> Never {
        throwRealmException("Realm opened from incorrect dispatch queue.")
    }

    static let main = Confinement(
        .object(ObjectIdentifier(DispatchQueue.main)), name: "the main queue",
        isCurrent: { isOnMain },
        send: { work in
            DispatchQueue.main.async(execute: work)
            return true
        })

    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// On the initial thread, or on the main queue, which another thread may serve.
    private static var isOnMain: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) != nil
    }
}
