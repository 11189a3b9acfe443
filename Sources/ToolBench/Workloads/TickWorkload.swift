import RealmEngine
import Synchronization
import ToolKit

/// A thread that runs its loop, as one with a user interface does, is told every millisecond that a
/// tick is due, and reads an object then; meanwhile writers change every object in one transaction
/// after the other. One operation is a tick. It lasts from the moment it was due until it has read,
/// so that whatever kept the thread from running shows.
class TickWhileWriting: ConcurrentWorkload {
    private static let interval: UInt64 = 1_000_000
    fileprivate static let ticksPerCommit = 100

    /// Ticks that are due. Their own object: the thread that counts them may end after the workload.
    private final class Due: Sendable {
        let count = Atomic<Int>(0)
    }

    private let due = Due()
    /// Ticks that are done.
    private let ticksDone = Atomic<Int>(0)
    /// Transactions being made or written out.
    fileprivate let transactions = Atomic<Int>(0)
    /// Ticks done while there were any.
    private let disturbed = Atomic<Int>(0)

    private var ticks: Int { max(20, setting.num / 100) }
    fileprivate var commits: Int { max(1, ticks / Self.ticksPerCommit / setting.writers) }

    override func read(
        _ instance: Instance, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        // One loop: others would be the same again.
        guard thread == 0 else { return }
        let loop = ThreadLoop()
        let instance = try Instance.open(scratch.path, setting, on: loop.confinement)
        var chooser = chooser(thread)
        let began = MonotonicClock.nanoseconds()
        guard startTicker(began, loop.wake) else {
            throw .failedCheck("there is no thread that could tell of ticks")
        }
        var next = 1
        while next <= ticks, !hasFailed {
            // The instance moves on here when it is told of a commit.
            loop.run(milliseconds: 100)
            while next <= due.count.load(ordering: .acquiring) {
                try tick(instance, &chooser)
                meter.record(
                    MonotonicClock.nanoseconds() &- began &- UInt64(next) &* Self.interval)
                ticksDone.store(next, ordering: .relaxed)
                if next.isMultiple(of: Self.ticksPerCommit) { try writeHere(instance) }
                next += 1
            }
        }
        while instance.isPerformingAsynchronousWriteOperations { loop.run(milliseconds: 10) }
    }

    /// The loop's own part in writing: none here.
    fileprivate func writeHere(_ instance: Instance) throws(RealmError) {}

    private func tick(
        _ instance: Instance, _ chooser: inout KeyChooser
    ) throws(RealmError) {
        let snapshot = instance.snapshot()
        var fold = ValueFold(snapshot, isWalking: false)
        try readOne(try table(snapshot), &chooser, &fold)
        if transactions.load(ordering: .relaxed) > 0 { disturbed.add(1, ordering: .relaxed) }
    }

    /// Wakes the loop at fixed moments, by a thread of its own; false when there is none.
    private func startTicker(
        _ began: UInt64, _ wake: @escaping @Sendable () -> Void
    ) -> Bool {
        let (due, ticks) = (due, ticks)
        return Threads.detach {
            for tick in 1...ticks {
                Pause.until(began &+ UInt64(tick) &* Self.interval)
                due.count.store(tick, ordering: .releasing)
                wake()
            }
        }
    }

    override func write(
        _ people: PeopleDatabase, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        for round in 0..<commits {
            let first = round * setting.writers * Self.ticksPerCommit
            while ticksDone.load(ordering: .relaxed) < first {
                if hasFailed { return }
                Pause.short()
            }
            transactions.add(1, ordering: .relaxed)
            defer { transactions.subtract(1, ordering: .relaxed) }
            for id in stride(from: thread, to: setting.num, by: setting.writers) {
                try people.countVisit(try people.find(Int64(id)), to: Int64(round))
            }
            try people.commit()
        }
    }

    override var note: String? {
        let count = disturbed.load(ordering: .relaxed)
        return "\(count) of \(ticks) ticks came while a transaction was being written"
    }
}

/// A loop whose own thread changes every object, in asynchronous transactions: their blocks keep it
/// from ticking, writing them out does not.
final class TickAndWrite: TickWhileWriting {
    override fileprivate var commits: Int { 0 }

    override fileprivate func writeHere(_ instance: Instance) throws(RealmError) {
        let person = try table(instance.snapshot()).info.key
        let count = setting.num
        transactions.add(1, ordering: .relaxed)
        try instance.writeAsync { [unowned self] transaction in
            do throws(RealmError) {
                for id in 0..<Int64(count) {
                    try transaction.countVisit(of: id, in: person, to: id)
                }
            } catch { fail(error) }
        } onComplete: { [unowned self] error in
            transactions.subtract(1, ordering: .relaxed)
            if let error { fail(error) }
        }
    }
}

/// The same loop without writers.
final class TickWhileIdle: TickWhileWriting {
    override fileprivate var commits: Int { 0 }
    override var note: String? { nil }
}
