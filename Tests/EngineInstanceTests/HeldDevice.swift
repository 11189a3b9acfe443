@testable import EngineSupport
@testable import RealmEngine

/// Where syncs wait until the test lets them go, so that what does not wait for them shows by the
/// order of things. Free to cross threads.
final class SyncGate: @unchecked Sendable {
    private let monitor = Monitor()
    private var isClosed = false
    private var begun = 0
    private var done = 0
    private var threads: Set<UInt> = []
    private var writers: Set<UInt> = []

    func close() { monitor.signal { isClosed = true } }
    func open() { monitor.signal { isClosed = false } }

    /// Waits until a sync waits here.
    func waitForSync() { monitor.wait { begun > done } }

    /// Waits until `count` syncs went through.
    func waitForSyncs(_ count: Int) { monitor.wait { done >= count } }

    /// Syncs that went through.
    var passed: Int { monitor.locked { done } }
    /// None is waiting or under way.
    var isIdle: Bool { monitor.locked { begun == done } }
    /// The threads that synced.
    var syncingThreads: Set<UInt> { monitor.locked { threads } }

    /// The threads that wrote, or made room to write.
    var writingThreads: Set<UInt> { monitor.locked { writers } }

    fileprivate func noteWriter() { monitor.locked { _ = writers.insert(Threads.current) } }

    fileprivate func pass(_ sync: () throws(RealmError) -> Void) throws(RealmError) {
        monitor.signal {
            begun += 1
            threads.insert(Threads.current)
        }
        monitor.wait { !isClosed }
        defer { monitor.signal { done += 1 } }
        try sync()
    }
}

/// Passes every call on; syncs by way of a gate.
final class HeldDevice: StorageDevice {
    private let device: any StorageDevice
    private let gate: SyncGate

    init(_ device: any StorageDevice, _ gate: SyncGate) {
        (self.device, self.gate) = (device, gate)
    }

    var size: Int { device.size }
    func grow(to size: Int) throws(RealmError) {
        gate.noteWriter()
        try device.grow(to: size)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        gate.noteWriter()
        try device.write(bytes, at: offset)
    }
    func sync() throws(RealmError) {
        try gate.pass { () throws(RealmError) in try device.sync() }
    }
}

extension InstanceLab {
    /// Makes a durable database whose instance, confined to `loop`, writes by way of `gate`.
    static func held(
        _ gate: SyncGate, _ loop: ThreadLoop
    ) throws -> (lab: InstanceLab, instance: Instance) {
        let lab = try InstanceLab(isDurable: true)
        let instance = try lab.open(on: loop.confinement)
        let session = try WriteSession(path: lab.path, options: WriteSession.Options()) {
            HeldDevice($0, gate)
        }
        instance.ownQueue = CommitQueue(session)
        return (lab, instance)
    }
}

extension InstanceLab {
    /// Adds an object in an asynchronous transaction, and returns when its sync waits at the gate.
    ///
    /// - Parameter returned: called in the block, when `commitAsyncWrite` has returned.
    func commitHeld(
        _ instance: Instance, _ loop: ThreadLoop, _ gate: SyncGate, age: Int64 = 0,
        allowGrouping: Bool = false, onComplete: @escaping (RealmError?) -> Void,
        returned: @escaping () -> Void = {}
    ) throws -> ObjectKey {
        gate.close()
        var added: ObjectKey?
        try instance.beginAsyncWrite {
            added = try! self.add(instance, age: age)
            _ = try! instance.commitAsyncWrite(allowGrouping: allowGrouping, onComplete)
            returned()
        }
        loop.run { added != nil }
        gate.waitForSync()
        return added!
    }
}

extension ThreadLoop {
    /// Runs what arrives until `isDone` says so.
    func run(until isDone: () -> Bool) { while !isDone() { run(milliseconds: 100) } }
}
