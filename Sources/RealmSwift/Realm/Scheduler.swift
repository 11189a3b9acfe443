import CRealmSystem
import Dispatch
import Foundation
import RealmEngine

/// Creates the contexts that realms are confined to: the main queue, a serial queue, or a thread
/// (API specification 3.3).
enum Scheduler {
    /// Returns the context of the caller: the main queue on the initial thread and on that queue,
    /// else the calling thread.
    static func here() -> Confinement { isOnMain ? main : .thread }

    /// Returns the context of a serial queue, which the caller must be running on.
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
        // A value set for a queue keeps its address as long as the queue exists, and the address
        // identifies the queue quickly.
        if queue.getSpecific(key: queueKey) == nil { queue.setSpecific(key: queueKey, value: id) }
        if DispatchQueue.getSpecific(key: queueKey) != id, !isImpersonated(for: .object(id)) {
            wrongQueue()
        }
        let place = Confinement(
            .object(id), name: "queue '\(queue.label)'", test: quickTest,
            isCurrent: { DispatchQueue.getSpecific(key: queueKey) == id },
            send: { work in
                queue.async(execute: work)
                return true
            })
        note(place)
        return place
    }

    /// Whether `queue` is serial, as far as Dispatch allows to determine it. Global queues are
    /// recognised by their label; any other queue is concurrent if its native object begins like
    /// the native object of a known concurrent queue.
    private static func isSerial(_ queue: DispatchQueue) -> Bool {
        if queue.label.hasPrefix("com.apple.root.") { return false }
        return kind(queue) != kind(concurrent)
    }

    private static let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)

    /// First word of the native queue object.
    private static func kind(_ queue: DispatchQueue) -> UInt {
        withExtendedLifetime(queue) { native(queue).pointee }
    }

    /// The native queue, which the object of type `DispatchQueue` references after its header.
    /// Dispatch creates a new object each time the main queue is requested.
    private static func native(_ queue: DispatchQueue) -> UnsafePointer<UInt> {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
        return object.load(fromByteOffset: 16, as: UnsafePointer<UInt>.self)
    }

    /// Identity of the native queue, unique among all objects as long as the queue exists.
    private static func identity(of queue: DispatchQueue) -> ObjectIdentifier {
        withExtendedLifetime(queue) { unsafeBitCast(native(queue), to: ObjectIdentifier.self) }
    }

    private static let mainQueue = DispatchQueue.main

    private static func wrongQueue() -> Never {
        throwRealmException("Realm opened from incorrect dispatch queue.")
    }

    static let main = Confinement(
        mainContext, name: "the main queue", includesCaller: ThreadRecord.current.isInitial,
        isCurrent: { isOnMain },
        send: { work in
            DispatchQueue.main.async(execute: work)
            return true
        })

    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
    private static let queueKeyAddress = UInt(
        bitPattern: Unmanaged.passUnretained(queueKey).toOpaque())

    /// The value set for the current queue; nil if there is none. The address of the key is the key
    /// that Dispatch's Swift overlay uses.
    private static var specific: UnsafeMutableRawPointer? {
        dispatch_get_specific(UnsafeRawPointer(bitPattern: queueKeyAddress)!)
    }

    /// Whether the caller is on a serial queue on which a realm has been opened.
    static var isOnKnownQueue: Bool { specific != nil }

    /// Test that identifies the current queue; nil outside of a queue that has the value, such as
    /// on a thread that impersonates a queue's.
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

    /// Whether the caller is on the initial thread, or on the main queue, which another thread may
    /// serve.
    private static var isOnMain: Bool {
        ThreadRecord.current.isInitial || DispatchQueue.getSpecific(key: mainKey) != nil
            || isImpersonated(for: mainContext)
    }

    private static let mainContext = Confinement.Identity.object(identity(of: mainQueue))

    private static func isImpersonated(for place: Confinement.Identity) -> Bool {
        ImpersonatedThread.current?.passes(for: place) ?? false
    }

    /// Contexts of the calling thread, for a thread that impersonates it in tests.
    static var places: Set<Confinement.Identity> {
        var places: Set<Confinement.Identity> = isOnMain ? [mainContext] : []
        if let id = DispatchQueue.getSpecific(key: queueKey) { places.insert(.object(id)) }
        return places
    }
}
