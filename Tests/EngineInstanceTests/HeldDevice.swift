@testable import EngineSupport
@testable import RealmEngine

/// Blocks syncs until the test opens the gate, to show which actions do not wait for them. Free to
/// cross threads.
final class SyncGate: @unchecked Sendable {
    private let monitor = Monitor()
    private var isClosed = false
    private var begun = 0
    private var done = 0
    private var threads: Set<UInt> = []
    private var writers: Set<UInt> = []

    func close() { monitor.signal { isClosed = true } }
    func open() { monitor.signal { isClosed = false } }

    /// Waits until a sync is blocked.
    func waitForSync() { monitor.wait { begun > done } }

    /// Waits until `count` syncs have completed.
    func waitForSyncs(_ count: Int) { monitor.wait { done >= count } }

    /// Number of completed syncs.
    var passed: Int { monitor.locked { done } }
    /// Whether no sync is blocked or running.
    var isIdle: Bool { monitor.locked { begun == done } }
    /// Threads that called sync.
    var syncingThreads: Set<UInt> { monitor.locked { threads } }

    /// Threads that wrote to the file or grew it.
    var writingThreads: Set<UInt> { monitor.locked { writers } }

    fileprivate func recordWriter() { monitor.locked { _ = writers.insert(Threads.current) } }

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

/// Device that forwards every call, and passes syncs through a gate.
final class HeldDevice: StorageDevice {
    private let device: any StorageDevice
    private let gate: SyncGate

    init(_ device: any StorageDevice, _ gate: SyncGate) {
        (self.device, self.gate) = (device, gate)
    }

    var size: Int { device.size }
    func grow(to size: Int) throws(RealmError) {
        gate.recordWriter()
        try device.grow(to: size)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        gate.recordWriter()
        try device.write(bytes, at: offset)
    }
    func sync() throws(RealmError) {
        try gate.pass { () throws(RealmError) in try device.sync() }
    }
}

extension InstanceLab {
    /// Makes a durable database whose instance, confined to `loop`, syncs through `gate`.
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
    /// Adds an object in an asynchronous transaction, and returns when its sync is blocked at the
    /// gate.
    ///
    /// - Parameter returned: called in the block after `commitAsyncWrite` has returned.
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
    /// Runs delivered work until `isDone` returns true.
    func run(until isDone: () -> Bool) { while !isDone() { run(milliseconds: 100) } }
}
