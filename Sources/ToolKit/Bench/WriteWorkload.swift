import RealmEngine

/// What a run stored, and what that cost.
struct StorageFigures: Sendable {
    var commits = 0
    var syncs = 0
    /// Bytes the engine wrote to the file.
    var bytesWritten = 0
    /// Bytes of the values changed, without anything it takes to store them.
    var logicalBytes = 0
    var sizeAtStart = 0
    var sizeAtEnd = 0
    /// How long commits waited for their syncs, in nanoseconds.
    var syncTimes = LatencyHistogram()

    /// Bytes written for each byte changed; nil when nothing changed.
    var writeAmplification: Double? {
        logicalBytes == 0 ? nil : Double(bytesWritten) / Double(logicalBytes)
    }
}

/// One run of a workload that writes: on a new file of made-up people, which is checked at the end
/// by reading it back. One operation is an object; what commits lasts as long as the commit too.
class WriteWorkload: Workload {
    let setting: BenchSetting
    let scratch: ScratchFile
    private(set) var people: PeopleDatabase?
    private var before = StorageFigures()
    private(set) var storage: StorageFigures?

    required init(_ setting: BenchSetting, name: String) throws(RealmError) {
        self.setting = setting
        scratch = try ScratchFile(setting, name: name)
    }

    /// Whether there are people before the measured part.
    var startsFull: Bool { true }
    /// People there should be after it.
    var finalCount: Int { setting.num }
    /// Operations between two commits.
    var commitEvery: Int { setting.batch }

    /// The measured operations.
    func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {}

    /// Checks after the database was read back.
    func check(_ snapshot: Snapshot, _ person: TableInfo) throws(RealmError) {}

    func setUp() throws(RealmError) {
        let people = try PeopleDatabase(path: scratch.path, setting)
        self.people = people
        if startsFull { try people.fill(setting) }
        before = figures(people)
    }

    func run(_ meter: inout Meter) throws(RealmError) {
        guard let people else { return }
        meter.start()
        try perform(people, &meter)
        meter.stop()
    }

    private func figures(_ people: PeopleDatabase) -> StorageFigures {
        let traffic = people.session.traffic
        return StorageFigures(
            commits: people.commits, syncs: traffic.syncs, bytesWritten: traffic.bytes,
            logicalBytes: people.logicalBytes, sizeAtStart: before.sizeAtEnd,
            sizeAtEnd: scratch.size, syncTimes: people.syncTimes)
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        guard let people else { throw .failedCheck("nothing was set up") }
        var after = figures(people)
        self.people = nil
        after.commits -= before.commits
        after.syncs -= before.syncs
        after.bytesWritten -= before.bytesWritten
        after.logicalBytes -= before.logicalBytes
        storage = after
        return try readBack()
    }

    /// Opens the file as a reader would and reads all of it.
    private func readBack() throws(RealmError) -> RunOutcome {
        let database = try Database(immutable: scratch.path)
        let snapshot = database.snapshot()
        guard let info = snapshot.schema.table(named: "Person") else {
            throw .failedCheck("the file that was written has no class Person")
        }
        let count = try snapshot.table(info).count()
        guard count == finalCount else {
            throw .failedCheck("the file that was written has \(count) people, not \(finalCount)")
        }
        try check(snapshot, info)
        var fold = ValueFold(snapshot, isWalking: true)
        try fold.addAll()
        fold.mix(UInt64(scratch.size))
        return RunOutcome(version: database.version, objects: count, checksum: fold.sum)
    }
}

extension WriteWorkload {
    /// Does `count` operations, committing as often as the workload does.
    func repeatOperation(
        _ count: Int, _ people: PeopleDatabase, _ meter: inout Meter,
        _ operation: (Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        var pending = 0
        for i in 0..<count {
            try operation(i)
            pending += 1
            if pending == commitEvery || i == count - 1 {
                try people.commit()
                pending = 0
            }
            meter.lap()
        }
    }

    /// The numbers below `count` in random order.
    func shuffled(_ count: Int) -> [Int64] {
        var random = SplitMix64(seed: setting.seed &+ 0x5EED)
        return (0..<Int64(count)).shuffled(using: &random)
    }
}
