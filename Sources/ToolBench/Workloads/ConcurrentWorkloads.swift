import RealmEngine
import Synchronization
import ToolKit

extension WorkloadCatalogue {
    /// Workloads that read and write the same file at the same time.
    static let concurrent: [WorkloadPlan] = [
        plan(
            ReadWhileWriting.self, "readwhilewriting",
            "read objects at random while other threads write; the reads are measured",
            isPaced: false,
            in: [.standard]),
        plan(
            ReadWhileIdle.self, "readwhileidle",
            "like readwhilewriting, without writers, as a baseline",
            isPaced: false, in: []),
        plan(
            ReadLocked.self, "readlocked",
            "like readwhileidle, but all threads share a mutex that is locked for every read, to "
                + "show the cost",
            isPaced: false, in: []),
        plan(
            WriteWhileReading.self, "writewhilereading",
            "set numbers in small commits while other threads read objects; the writes are "
                + "measured",
            isPaced: false, in: [.standard]),
        plan(
            Notify.self, "notify",
            "commit a number; an operation lasts until another participant, like another process, "
                + "has read it",
            isPaced: false, in: [.standard]),
        plan(
            TickWhileWriting.self, "tickwhilewriting",
            "wake a thread every millisecond while others write large transactions; the delay "
                + "until the woken thread has read an object is measured", isPaced: false, in: []),
        plan(
            TickWhileIdle.self, "tickwhileidle",
            "like tickwhilewriting, without writers, as a baseline",
            isPaced: false, in: []),
        plan(
            TickAndWrite.self, "tickandwrite",
            "like tickwhilewriting, but the woken thread itself writes, in asynchronous "
                + "transactions",
            isPaced: false, in: []),
        asynchronous(
            "commit-async",
            "commit asynchronous transactions, each with a sync of its own", false),
        asynchronous(
            "commit-grouped",
            "commit asynchronous transactions that share their syncs", true),
    ]

    private static func asynchronous(
        _ name: String, _ summary: String, _ isGrouped: Bool
    ) -> WorkloadPlan {
        WorkloadPlan(name, summary, ownsFile: true, isPaced: false, in: [.standard]) {
            setting throws(RealmError) in
            try AsyncCommitWorkload(setting, isGrouped: isGrouped)
        }
    }
}

/// Base of workloads in which some threads read persons and others write them. Each thread has its
/// own instance.
///
/// The numbers of reads and writes are fixed, and every writer changes different objects, so that
/// the final content does not depend on timing. Only the offsets of nodes in the file depend on
/// timing.
class ConcurrentWorkload: WriteWorkload {
    /// Number of objects after which a reader advances to the newest version.
    fileprivate static let readsPerVersion = 100
    fileprivate static let operationsPerCommit = 10

    private struct Shared {
        var meter = Meter()
        var figures = StorageStatistics()
        var failure: RealmError?
    }

    private let shared = Mutex(Shared())
    /// Number of objects read so far.
    fileprivate let reads = Atomic<Int>(0)
    fileprivate let writersLeft = Atomic<Int>(0)

    override final var isPlacementFixed: Bool { false }

    /// Whether a thread has failed, so that the others must stop.
    final var hasFailed: Bool { shared.withLock { $0.failure != nil } }

    final func fail(_ error: RealmError) { shared.withLock { $0.failure = error } }

    /// Runs the work of one thread that reads, with an instance of its own.
    func read(_ instance: Instance, _ thread: Int, _ meter: inout Meter)
        throws(RealmError)
    {}

    /// The work of a thread that writes.
    func write(_ people: PeopleDatabase, _ thread: Int, _ meter: inout Meter)
        throws(RealmError)
    {}

    @_optimize(speed)
    override final func perform(
        _ people: PeopleDatabase, _ meter: inout Meter
    ) throws(RealmError) {
        let (writers, readers) = (setting.writers, setting.readers)
        writersLeft.store(writers, ordering: .relaxed)
        // The first writer runs on the calling thread, which already has the database open.
        let first = UncheckedSendableBox(people)
        let this = UncheckedSendableBox(self)
        Threads.run(writers + readers) { index in
            this.value.work(index, index == 0 ? first.value : nil)
        }
        let result = shared.withLock { $0 }
        if let failure = result.failure { throw failure }
        meter.merge(result.meter)
    }

    @_optimize(speed)
    private func work(_ index: Int, _ people: PeopleDatabase?) {
        var meter = setting.meter
        do throws(RealmError) {
            if index < setting.writers {
                defer { writersLeft.subtract(1, ordering: .relaxed) }
                let handle: PeopleDatabase
                if let people {
                    try people.writeAsInstance(setting)
                    handle = people
                } else {
                    handle = try PeopleDatabase(joining: scratch.path, setting)
                }
                try write(handle, index, &meter)
                if people == nil { try keep(handle.figures()) }
            } else {
                let instance = try Instance.open(scratch.path, setting)
                try read(instance, index - setting.writers, &meter)
            }
        } catch { fail(error) }
        let measured = meter
        shared.withLock { $0.meter.merge(measured) }
    }

    private func keep(_ figures: StorageStatistics) {
        shared.withLock { $0.figures.add(figures) }
    }

    override final func complete(_ figures: inout StorageStatistics) throws(RealmError) {
        shared.withLock { figures.add($0.figures) }
    }

    /// Reads one object, chosen at random.
    final func readOne(
        _ table: Table, _ chooser: inout KeyChooser, _ fold: inout ValueFold
    ) throws(RealmError) {
        let id = Int64(chooser.choose(setting.num))
        guard let key = try table.find(primaryKey: .int(id)), let row = try table.row(key) else {
            throw .failedCheck("person \(id) is not found by primary key")
        }
        for column in table.info.columns.indices { try fold.add(try row.value(column)) }
    }

    final func table(_ snapshot: Snapshot) throws(RealmError) -> Table {
        guard let info = snapshot.schema.table(named: "Person") else {
            throw .failedCheck("the file that was written has no class Person")
        }
        return snapshot.table(info)
    }

    final func chooser(_ thread: Int) -> KeyChooser {
        KeyChooser(
            setting.distribution, count: setting.num,
            seed: setting.seed &+ UInt64(bitPattern: Int64(thread)) &* 977)
    }

    /// Sets the number of visits of some persons that belong to `thread`, in one commit.
    fileprivate final func commitSome(
        _ people: PeopleDatabase, _ thread: Int, _ round: Int, _ chooser: inout KeyChooser,
        _ meter: inout Meter, isMeasured: Bool
    ) throws(RealmError) {
        let mine = max(1, setting.num / setting.writers)
        for i in 0..<Self.operationsPerCommit {
            let id = (chooser.choose(mine) * setting.writers + thread) % setting.num
            try people.countVisit(
                try people.find(Int64(id)), to: Int64(round * Self.operationsPerCommit + i))
            if i == Self.operationsPerCommit - 1 { try people.commit() }
            if isMeasured { meter.lap() }
        }
    }
}

/// Measures threads that read. There is one small commit for every thousand reads, so that versions
/// are created and released.
class ReadWhileWriting: ConcurrentWorkload {
    private static let readsPerCommit = 1000

    private var times: Int { setting.num / setting.readers }
    fileprivate var commits: Int {
        times * setting.readers / Self.readsPerCommit / setting.writers
    }
    /// Objects per second, summed over all readers. Each reader is measured over its own time.
    private let rate = Mutex<Double>(0)

    override func read(
        _ instance: Instance, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        var chooser = chooser(thread)
        let began = MonotonicClock.nanoseconds()
        meter.start()
        var left = times
        while left > 0 {
            try instance.refresh()
            let snapshot = instance.snapshot()
            let table = try table(snapshot)
            var fold = ValueFold(snapshot, isWalking: false)
            let some = min(left, Self.readsPerVersion)
            for _ in 0..<some {
                try readNext(table, &chooser, &fold)
                meter.lap()
            }
            left -= some
            reads.add(some, ordering: .relaxed)
        }
        let seconds = Double(MonotonicClock.nanoseconds() &- began) / 1e9
        rate.withLock { $0 += Double(times) / seconds }
    }

    /// Reads one object: the measured operation of a reader.
    fileprivate func readNext(
        _ table: Table, _ chooser: inout KeyChooser, _ fold: inout ValueFold
    ) throws(RealmError) { try readOne(table, &chooser, &fold) }

    override var note: String? {
        "readers, which end before the writers, read \(Quantity.rate(rate.withLock { $0 })) objects"
    }

    override func write(
        _ people: PeopleDatabase, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        var chooser = chooser(-1 - thread)
        for round in 0..<commits {
            let due = round * setting.writers * Self.readsPerCommit
            while reads.load(ordering: .relaxed) < due {
                if hasFailed { return }
                Pause.short()
            }
            try commitSome(people, thread, round, &chooser, &meter, isMeasured: false)
        }
    }
}

/// Like `ReadWhileWriting`, but without threads that write.
class ReadWhileIdle: ReadWhileWriting {
    override fileprivate final var commits: Int { 0 }
}

/// Like `ReadWhileIdle`, but the reading threads share a mutex and lock it for every object, as a
/// program with needless locks would.
final class ReadLocked: ReadWhileIdle {
    private let lock = Mutex(())

    override fileprivate func readNext(
        _ table: Table, _ chooser: inout KeyChooser, _ fold: inout ValueFold
    ) throws(RealmError) {
        try lock.withLock { _ throws(RealmError) in try readOne(table, &chooser, &fold) }
    }
}

/// Measures threads that write. Other threads read until the writers are done.
final class WriteWhileReading: ConcurrentWorkload {
    private var commits: Int {
        max(1, setting.num / 10 / Self.operationsPerCommit / setting.writers)
    }

    override func read(
        _ instance: Instance, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        var chooser = chooser(thread)
        while writersLeft.load(ordering: .relaxed) > 0 {
            try instance.refresh()
            let snapshot = instance.snapshot()
            let table = try table(snapshot)
            var fold = ValueFold(snapshot, isWalking: false)
            for _ in 0..<Self.readsPerVersion { try readOne(table, &chooser, &fold) }
            reads.add(Self.readsPerVersion, ordering: .relaxed)
        }
    }

    override func write(
        _ people: PeopleDatabase, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        var chooser = chooser(-1 - thread)
        meter.start()
        for round in 0..<commits {
            try commitSome(people, thread, round, &chooser, &meter, isMeasured: true)
        }
    }

    override var note: String? {
        let count = reads.load(ordering: .relaxed)
        return "\(Quantity.rate(Double(count))) objects were read meanwhile"
    }
}

/// One thread commits small changes. Another thread is a separate participant, like another
/// process: it waits for each new version and reads the change. An operation is timed from the
/// start of the commit until the change was read. The report also shows the time of the commit
/// alone.
final class Notify: ConcurrentWorkload {
    private static let longest = 10_000
    /// Number of changes that the reading thread has read; -1 until that thread has joined the
    /// session.
    private let seen = Atomic<Int>(-1)
    private let committedAt = Atomic<UInt64>(0)

    private var rounds: Int { max(1, setting.num / 100) }

    override func read(
        _ instance: Instance, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        // Only the first reader observes; further observers would wait for the same commits.
        guard thread == 0 else { return }
        guard let observer = try Database(joiningLive: scratch.path, key: setting.key) else {
            throw .failedCheck("the database that is being written cannot be joined")
        }
        meter.start()
        seen.store(0, ordering: .releasing)
        for round in 1...rounds {
            guard try observer.waitForCommit(milliseconds: Self.longest) else {
                throw .failedCheck("no notification within 10 seconds")
            }
            try observer.refresh()
            let table = try table(observer.snapshot())
            let column = PeopleDatabase.Column.visits.rawValue
            guard let key = try table.find(primaryKey: .int(0)),
                case .int(let visits)? = try table.row(key)?.value(column), visits == Int64(round)
            else { throw .failedCheck("the new version does not hold the change") }
            let now = MonotonicClock.nanoseconds()
            meter.record(now &- committedAt.load(ordering: .acquiring))
            seen.store(round, ordering: .releasing)
        }
    }

    override func write(
        _ people: PeopleDatabase, _ thread: Int, _ meter: inout Meter
    ) throws(RealmError) {
        guard thread == 0 else { return }
        for round in 1...rounds {
            while seen.load(ordering: .acquiring) < round - 1 {
                if hasFailed { return }
                Pause.short()
            }
            try people.countVisit(try people.find(0), to: Int64(round))
            committedAt.store(MonotonicClock.nanoseconds(), ordering: .releasing)
            try people.commit()
        }
    }
}
