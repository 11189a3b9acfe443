import CRealmSystem
import Dispatch
import Foundation
import RealmEngine

/// Creates the contexts (`Confinement`) that realms belong to: the main queue, a serial queue, or a
/// thread (API specification 3.3).
enum Scheduler {
    /// Returns the context of the caller: the main queue if the caller runs on it or on the initial
    /// thread, otherwise the calling thread.
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
        // Stores `id` as a queue-specific value. The address of the stored value does not change as
        // long as the queue exists, so comparing this address identifies the queue quickly.
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

    /// Whether `queue` is serial. Best effort, because Dispatch does not tell. Global queues are
    /// recognised by their label. Any other queue counts as concurrent if its native object begins
    /// with the same word as the native object of a known concurrent queue.
    private static func isSerial(_ queue: DispatchQueue) -> Bool {
        if queue.label.hasPrefix("com.apple.root.") { return false }
        return kind(queue) != kind(concurrent)
    }

    private static let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)

    /// Returns the first word of the native queue object. The word has the same value in all
    /// concurrent queues.
    private static func kind(_ queue: DispatchQueue) -> UInt {
        withExtendedLifetime(queue) { native(queue).pointee }
    }

    /// Returns the native queue, which is referenced at byte 16 of a `DispatchQueue`. Identifies a
    /// queue better than the `DispatchQueue`, because Dispatch creates a new one each time the main
    /// queue is requested.
    private static func native(_ queue: DispatchQueue) -> UnsafePointer<UInt> {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
        return object.load(fromByteOffset: 16, as: UnsafePointer<UInt>.self)
    }

    /// Returns the address of the native queue, which is unique as long as the queue exists.
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

    /// The value under `queueKey` of the current queue; nil if it has none. Dispatch's Swift
    /// overlay uses the address of the key object as the native key.
    private static var specific: UnsafeMutableRawPointer? {
        dispatch_get_specific(UnsafeRawPointer(bitPattern: queueKeyAddress)!)
    }

    /// Whether the caller runs on a serial queue on which a realm was opened.
    static var isOnKnownQueue: Bool { specific != nil }

    /// Returns a fast test whether the caller runs on the current queue. Nil if the queue has no
    /// value under `queueKey`, as on a thread that impersonates a queue in tests.
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

    /// Whether the caller runs on the initial thread, or on the main queue. Another thread may
    /// serve the main queue.
    private static var isOnMain: Bool {
        ThreadRecord.current.isInitial || DispatchQueue.getSpecific(key: mainKey) != nil
            || isImpersonated(for: mainContext)
    }

    private static let mainContext = Confinement.Identity.object(identity(of: mainQueue))

    private static func isImpersonated(for place: Confinement.Identity) -> Bool {
        ImpersonatedThread.current?.passes(for: place) ?? false
    }

    /// Identities of the contexts that the calling thread serves: the main queue, and the serial
    /// queue on which the thread runs. In tests, an `ImpersonatedThread` also serves the main queue
    /// if it impersonates the main thread.
    static var places: Set<Confinement.Identity> {
        var places: Set<Confinement.Identity> = isOnMain ? [mainContext] : []
        if let id = DispatchQueue.getSpecific(key: queueKey) { places.insert(.object(id)) }
        return places
    }
}
