import RealmEngine

/// One of the common tasks that the reference engine's own benchmark measures: what there is, and
/// what is done to it again and again.
struct CoreTask: Sendable {
    /// Objects the reference's benchmark uses for most tasks.
    static let usualRows = 3600

    /// What one repetition is.
    enum Work: Sendable {
        /// Plan a query and find its objects.
        case find(String)
        /// Plan a query and find the first object.
        case findFirst([String])
        /// Read a snapshot; returns what must be the same each time.
        case read(@Sendable (Table, inout ValueFold) throws(RealmError) -> Int)
        /// Change the database; the transaction is committed, or forgotten.
        case write(commits: Bool, @Sendable (CoreDatabase) throws(RealmError) -> Void)
        /// Open the file as the first one, or while somebody has it open.
        case open(isFirst: Bool)
    }

    let name: String
    let summary: String
    var rows = Self.usualRows
    /// Creates the class `t` and its objects.
    let build: @Sendable (CoreDatabase) throws(RealmError) -> Void
    let work: Work

    var plan: WorkloadPlan {
        WorkloadPlan("core-" + name, summary, ownsFile: true, in: [.core]) {
            setting throws(RealmError) in
            try CoreWorkload(setting, self)
        }
    }
}

/// The database of a common task: the class `t`, made by the task.
final class CoreDatabase: MeasuredDatabase {
    /// Objects to make.
    let rows: Int
    private(set) var table = TableKey.none
    private(set) var keys: [ObjectKey] = []
    var random: SplitMix64
    private var text = ByteBuffer(capacity: 4096)

    init(path: String, _ setting: BenchSetting, rows: Int) throws(RealmError) {
        self.rows = rows
        random = SplitMix64(seed: setting.seed)
        try super.init(path: path, setting)
    }

    /// Creates the class `t`.
    func makeClass(_ properties: PropertySpec..., key: PropertySpec? = nil) throws(RealmError) {
        table = try writing().createClass("t", primaryKey: key)
        for property in properties { try writing().addProperty(table, property) }
    }

    /// Creates the objects of `t`, each filled in by `fill`.
    func makeObjects(
        _ fill: (_ number: Int, ObjectKey) throws(RealmError) -> Void
    ) throws(RealmError) {
        for i in 0..<rows {
            let key = try writing().create(in: table)
            keys.append(key)
            try fill(i, key)
        }
    }

    /// Creates objects with primary keys.
    func makeKeyedObjects(_ id: (Int) -> Int64) throws(RealmError) {
        for i in 0..<rows {
            keys.append(try writing().create(in: table, primaryKey: .int(id(i))))
        }
    }

    /// Remembers an object another task's step made.
    func set(_ key: ObjectKey, _ column: Int, _ value: Value) throws(RealmError) {
        try writing().set(table, key, column, value)
    }

    /// Text as a value; valid until the next one is made.
    func string(_ text: String) -> Value {
        self.text.removeAll()
        self.text.append(text)
        return .string(ByteView(self.text.bytes.baseAddress!, count: self.text.count))
    }
}

/// One run of a common task. One operation is one repetition.
final class CoreWorkload: Workload {
    private let setting: BenchSetting
    private let task: CoreTask
    private let scratch: ScratchFile
    private var database: CoreDatabase?
    private var sum: UInt64 = 0
    private(set) var storage: StorageFigures?

    init(_ setting: BenchSetting, _ task: CoreTask) throws(RealmError) {
        self.setting = setting
        self.task = task
        scratch = try ScratchFile(setting, name: "core-" + task.name)
    }

    /// Repetitions of a run.
    private var repetitions: Int {
        setting.time == nil ? max(5, min(100, setting.num / 1000)) : .max
    }

    func setUp() throws(RealmError) {
        let database = try CoreDatabase(
            path: scratch.path, setting, rows: min(task.rows, setting.num))
        try task.build(database)
        try database.commit()
        database.forgetFigures()
        if case .open(isFirst: true) = task.work { return }
        self.database = database
    }

    func run(_ meter: inout Meter) throws(RealmError) {
        meter.start()
        while meter.operations < repetitions, !meter.isOver {
            let found = try repeatOnce()
            if meter.operations > 0, found != sum {
                throw .failedCheck("core-\(task.name): two repetitions found different things")
            }
            sum = found
            meter.lap()
        }
        meter.stop()
    }

    private func repeatOnce() throws(RealmError) -> UInt64 {
        if case .open = task.work { return try open() }
        guard let database else { throw .failedCheck("nothing was set up") }
        switch task.work {
        case .open: return 0
        case .find(let text): return UInt64(try find(text, in: database.session.database))
        case .findFirst(let texts):
            var found: UInt64 = 0
            for text in texts {
                found += UInt64(try find(text + " LIMIT(1)", in: database.session.database))
            }
            return found
        case .read(let body):
            let table = try Self.table(database.session.database.snapshot())
            table.snapshot.beginWalk()
            var fold = ValueFold(table.snapshot, isWalking: true)
            return UInt64(try body(table, &fold)) &+ fold.sum
        case .write(let commits, let body):
            _ = try database.writing()
            try body(database)
            if commits { try database.commit() } else { database.rollback() }
            return 0
        }
    }

    private func open() throws(RealmError) -> UInt64 {
        // Apart from what this process has open already, so that the second opener joins too.
        guard case .open(let isFirst) = task.work else { return 0 }
        if isFirst {
            var options = Database.Options()
            options.isDurable = setting.isDurable
            return UInt64(try Self.table(Database.open(scratch.path, options).snapshot()).count())
        }
        guard let joined = try Database(joiningLive: scratch.path) else {
            throw .failedCheck("the database that is open cannot be joined")
        }
        return UInt64(try Self.table(joined.snapshot()).count())
    }

    private static func table(_ snapshot: Snapshot) throws(RealmError) -> Table {
        guard let info = snapshot.schema.table(named: "t") else {
            throw .failedCheck("the file that was written has no class t")
        }
        return snapshot.table(info)
    }

    private func find(
        _ text: String, in database: Database, options: QueryOptions = QueryOptions()
    ) throws(RealmError) -> Int {
        let table = try Self.table(database.snapshot())
        table.snapshot.beginWalk()
        let plan = try QueryPlan(
            try Query(text).bound(to: table), in: table.snapshot, options: options)
        return try plan.rows(in: table.snapshot).count
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        if let database {
            if case .find(let text) = task.work {
                var plain = QueryOptions()
                (plain.usesIndexes, plain.usesKernels) = (false, false)
                let expected = try find(text, in: database.session.database, options: plain)
                guard sum == expected else {
                    throw .failedCheck(
                        "core-\(task.name): \(sum) objects were found, but \(expected) match")
                }
            }
            if case .write = task.work { storage = try database.figures() }
        }
        database = nil
        let read = try Database(immutable: scratch.path)
        let report = IntegrityCheck(read, level: .quick).run()
        guard report.isClean else { throw .failedCheck("the file that was written is damaged") }
        storage?.liveBytes = Int(clamping: report.facts.liveBytes)
        if storage != nil {
            let compacted = try Compactor.estimate(read.snapshot())
            storage?.compactedSize = Int(clamping: compacted.bytes)
        }
        let objects = try Self.table(read.snapshot()).count()
        return RunOutcome(version: read.version, objects: objects, checksum: sum)
    }
}
