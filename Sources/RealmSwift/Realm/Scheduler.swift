import CRealmSystem
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
        let id = identity(of: queue)
        if id == identity(of: mainQueue) {
            if !isOnMain { wrongQueue() }
            return main
        }
        if !isSerial(queue) {
            throwRealmException(
                "Invalid queue '\(queue.label)': Realms can only be confined to serial queues or the "
                    + "main queue.")
        }
        // What is set once stays where it is as long as the queue, which tells the queue quickly.
        if queue.getSpecific(key: queueKey) == nil { queue.setSpecific(key: queueKey, value: id) }
        if DispatchQueue.getSpecific(key: queueKey) != id, !isStandIn(for: .object(id)) {
            wrongQueue()
        }
        return Confinement(
            .object(id), name: "queue '\(queue.label)'", test: quickTest,
            isCurrent: { DispatchQueue.getSpecific(key: queueKey) == id },
            send: { work in
                queue.async(execute: work)
                return true
            })
    }

    /// As far as can be told: queues do not say what they are. Global ones have their names, and a
    /// concurrent one is what begins as a concurrent one does.
    private static func isSerial(_ queue: DispatchQueue) -> Bool {
        if queue.label.hasPrefix("com.apple.root.") { return false }
        return kind(queue) != kind(concurrent)
    }

    private static let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)

    /// The first word of what the queue stands for.
    private static func kind(_ queue: DispatchQueue) -> UInt {
        withExtendedLifetime(queue) { native(queue).pointee }
    }

    /// What the queue stands for, behind the header of its object. Dispatch makes such an object anew
    /// each time it is asked for the main queue.
    private static func native(_ queue: DispatchQueue) -> UnsafePointer<UInt> {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
        return object.load(fromByteOffset: 16, as: UnsafePointer<UInt>.self)
    }

    /// Tells the queue from all others, and from all objects, as long as it exists.
    private static func identity(of queue: DispatchQueue) -> ObjectIdentifier {
        withExtendedLifetime(queue) { unsafeBitCast(native(queue), to: ObjectIdentifier.self) }
    }

    private static let mainQueue = DispatchQueue.main

    private static func wrongQueue() -> Never {
        throwRealmException("Realm opened from incorrect dispatch queue.")
    }

    static let main = Confinement(
        mainPlace, name: "the main queue", includesCaller: ThreadRecord.current.isInitial,
        isCurrent: { isOnMain },
        send: { work in
            DispatchQueue.main.async(execute: work)
            return true
        })

    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
    private static let queueKeyPlace = UInt(
        bitPattern: Unmanaged.passUnretained(queueKey).toOpaque())

    /// Where the queue the caller is on has what was set for it: the key's own place is what Swift's
    /// view of Dispatch goes by.
    private static var specific: UnsafeMutableRawPointer? {
        dispatch_get_specific(UnsafeRawPointer(bitPattern: queueKeyPlace)!)
    }

    /// Tells the queue the caller is on; nil on none, as a thread is that stands in for a queue's.
    private static var quickTest: Confinement.Test? {
        specific.map { own in
            Confinement.Test(UInt(bitPattern: own)) { UInt(bitPattern: Scheduler.specific) == $0 }
        }
    }

    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// On the initial thread, or on the main queue, which another thread may serve.
    private static var isOnMain: Bool {
        ThreadRecord.current.isInitial || DispatchQueue.getSpecific(key: mainKey) != nil
            || isStandIn(for: mainPlace)
    }

    private static let mainPlace = Confinement.Identity.object(identity(of: mainQueue))

    private static func isStandIn(for place: Confinement.Identity) -> Bool {
        ImpersonatedThread.current?.passes(for: place) ?? false
    }

    /// Where the calling thread is, for one that stands in for it.
    static var places: Set<Confinement.Identity> {
        var places: Set<Confinement.Identity> = isOnMain ? [mainPlace] : []
        if let id = DispatchQueue.getSpecific(key: queueKey) { places.insert(.object(id)) }
        return places
    }
}
