import RealmEngine
import ToolKit

/// One run of a workload that writes a new file. At the end, the file is read and checked.
class StoringWorkload: Workload {
    let setting: BenchSetting
    let scratch: ScratchFile
    private(set) var storage: StorageStatistics?

    required init(_ setting: BenchSetting, name: String) throws(RealmError) {
        self.setting = setting
        scratch = try ScratchFile(setting, name: name)
    }

    /// The database; nil before `setUp`, and after it was closed.
    var store: MeasuredDatabase? { nil }
    /// Creates the database with the content that it has before the measured part.
    func create() throws(RealmError) {}
    /// Releases the last reference to the database, which closes it.
    func close() {}
    /// Runs the measured operations.
    func perform(_ meter: inout Meter) throws(RealmError) {}
    /// Checks the content of the file after the run. Returns the number of objects.
    func check(_ snapshot: Snapshot) throws(RealmError) -> Int { 0 }
    /// Additional remark about the run; nil if there is none.
    var note: String? { nil }
    /// Whether the offsets of nodes in the file depend only on the seed.
    var isPlacementFixed: Bool { true }

    final func setUp() throws(RealmError) {
        try create()
        store?.resetStatistics()
        store?.pin(setting.pins)
    }

    @_optimize(speed)
    final func run(_ meter: inout Meter) throws(RealmError) {
        meter.start()
        try perform(&meter)
        meter.stop()
    }

    /// Adds the statistics of other writers of the same file.
    func complete(_ figures: inout StorageStatistics) throws(RealmError) {}

    final func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        guard let store else { throw .failedCheck("nothing was set up") }
        var figures = try store.figures()
        try complete(&figures)
        store.releasePins()
        close()
        let outcome = try readBack(&figures)
        storage = figures
        return outcome
    }

    /// Opens the file as a reader does, checks it, and reads all of it.
    private func readBack(_ figures: inout StorageStatistics) throws(RealmError) -> RunOutcome {
        let database = try Database(immutable: scratch.path, key: setting.key)
        let report = IntegrityCheck(database, level: .quick).run()
        guard report.isClean else {
            throw .failedCheck(
                "the file that was written is damaged: "
                    + (report.findings.first?.what ?? "\(report.errorCount) errors"))
        }
        figures.liveBytes = Int(clamping: report.facts.liveBytes)
        let snapshot = database.snapshot()
        figures.compactedSize = Int(clamping: try Compactor.estimate(snapshot).bytes)
        let count = try check(snapshot)
        var fold = ValueFold(snapshot, isWalking: true)
        try fold.addAll()
        if isPlacementFixed { fold.mix(UInt64(scratch.size)) }
        return RunOutcome(version: database.version, objects: count, checksum: fold.sum)
    }
}

/// One run of a workload that writes persons. One operation is an object. If the operation commits,
/// its latency includes the commit.
class WriteWorkload: StoringWorkload {
    private(set) var people: PeopleDatabase?
    /// Number of completed operations.
    private(set) var done = 0

    override final var store: MeasuredDatabase? { people }

    /// Whether all persons are inserted before the measured part.
    var startsFull: Bool { true }
    /// Number of persons that must exist after the measured part.
    var finalCount: Int { setting.num }
    /// Number of operations per commit.
    var commitEvery: Int { setting.batch }

    override func create() throws(RealmError) {
        let people = try PeopleDatabase(path: scratch.path, setting)
        self.people = people
        if startsFull { try people.fill(setting) }
    }

    override final func close() { people = nil }

    /// Runs the measured operations.
    func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {}

    @_optimize(speed)
    override final func perform(_ meter: inout Meter) throws(RealmError) {
        if let people { try perform(people, &meter) }
    }

    /// Checks the persons in the file after the run.
    func check(_ snapshot: Snapshot, _ person: TableInfo) throws(RealmError) {}

    override final func check(_ snapshot: Snapshot) throws(RealmError) -> Int {
        guard let info = snapshot.schema.table(named: "Person") else {
            throw .failedCheck("the file that was written has no class Person")
        }
        let count = try snapshot.table(info).count()
        guard count == finalCount else {
            throw .failedCheck("the file that was written has \(count) people, not \(finalCount)")
        }
        try check(snapshot, info)
        return count
    }

    /// Runs `count` operations, or fewer if the time limit is reached. Commits after every
    /// `commitEvery` operations.
    final func repeatOperation(
        _ count: Int, _ people: PeopleDatabase, _ meter: inout Meter,
        _ operation: (Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        var pending = 0
        while done < count, !meter.isOver {
            try operation(done)
            pending += 1
            done += 1
            if pending == commitEvery || done == count {
                try people.commit()
                pending = 0
            }
            meter.lap()
        }
        try people.commit()
    }

    /// Returns the numbers below `count` in random order.
    final func shuffled(_ count: Int) -> [Int64] {
        var random = SplitMix64(seed: setting.seed &+ 0x5EED)
        return (0..<Int64(count)).shuffled(using: &random)
    }
}
