import RealmEngine
import Synchronization
import ToolKit

/// Measures how writers delay a thread with a run loop, like the thread of a user interface.
///
/// A timer thread wakes the loop every millisecond (a tick). The loop's thread then reads an
/// object. Meanwhile, other threads change every object in one transaction after another. One
/// operation is a tick. Its time begins when the tick is due, and ends after the read. The times
/// thus show everything that blocks the thread.
class TickWhileWriting: ConcurrentWorkload {
    private static let interval: UInt64 = 1_000_000
    fileprivate static let ticksPerCommit = 100

    /// Number of timer ticks that are due so far, set by the timer thread. A separate object,
    /// because the timer thread may live longer than the workload.
    private final class DueTicks: Sendable {
        let count = Atomic<Int>(0)
    }

    private let due = DueTicks()
    /// Number of timer ticks for which the thread with the run loop has read its object.
    private let ticksDone = Atomic<Int>(0)
    /// Number of transactions in progress or being written.
    fileprivate let transactions = Atomic<Int>(0)
    /// Number of timer ticks that were disturbed: the object was read while a transaction was in
    /// progress or being written.
    private let disturbed = Atomic<Int>(0)

    private var ticks: Int { max(20, setting.num / 100) }
    fileprivate var commits: Int { max(1, ticks / Self.ticksPerCommit / setting.writers) }

    override func read(
        _ instance: Instance, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        // Only the first reader runs a loop; further loops would behave in the same way.
        guard thread == 0 else { return }
        let loop = ThreadLoop()
        let instance = try Instance.open(scratch.path, setting, on: loop.confinement)
        var chooser = chooser(thread)
        let began = MonotonicClock.nanoseconds()
        guard startTicker(began, loop.wake) else {
            throw .failedCheck("no thread is available to report ticks")
        }
        var next = 1
        while next <= ticks, !hasFailed {
            // When the instance is notified of a commit, it advances in this call.
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

    /// Called after every hundredth tick of the timer, on the thread of the run loop. A subclass
    /// may write to the database there; this class does nothing.
    fileprivate func writeHere(_ instance: Instance) throws(RealmError) {}

    private func tick(
        _ instance: Instance, _ chooser: inout KeyChooser
    ) throws(RealmError) {
        let snapshot = instance.snapshot()
        var fold = ValueFold(snapshot, isWalking: false)
        try readOne(try table(snapshot), &chooser, &fold)
        if transactions.load(ordering: .relaxed) > 0 { disturbed.add(1, ordering: .relaxed) }
    }

    /// Starts the timer thread, which wakes the run loop for each tick. Returns false if the thread
    /// cannot be started.
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

/// Like `TickWhileWriting`, but the thread with the run loop itself changes every object, in
/// asynchronous transactions. The blocks of the transactions delay ticks; writing the transactions
/// to the file does not.
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

/// Like `TickWhileWriting`, without threads that write.
final class TickWhileIdle: TickWhileWriting {
    override fileprivate var commits: Int { 0 }
    override var note: String? { nil }
}
