import RealmEngine
import ToolBench
import ToolKit

/// One run of a task. An operation of the meter is one repetition.
final class CoreWorkload: Workload {
    private let setting: BenchSetting
    private let task: CoreTask
    private let scratch: ScratchFile
    private var database: CoreDatabase?
    private var sum: Int?
    package private(set) var storage: StorageStatistics?

    init(_ setting: BenchSetting, _ task: CoreTask) throws(RealmError) {
        self.setting = setting
        self.task = task
        scratch = try ScratchFile(setting, name: "core-" + task.name)
    }

    package func setUp() throws(RealmError) {
        let database = try CoreDatabase(path: scratch.path, setting)
        try task.build(database)
        try database.commit()
        database.resetStatistics()
        if case .open(isFirst: true) = task.work { return }
        self.database = database
    }

    // MARK: Measuring

    package func run(_ meter: inout Meter) throws(RealmError) {
        if case .open(let isFirst) = task.work {
            return try repeatedly(&meter) { (_) throws(RealmError) in try open(isFirst: isFirst) }
        }
        guard let database else { throw .failedCheck("nothing was set up") }
        switch task.work {
        case .open: return
        case .read(let body):
            let reader = try CoreReader(database)
            try repeatedly(&meter) { (_) throws(RealmError) in try body(reader) }
        case .change(let body):
            let reader = try CoreReader(database)
            try repeatedly(
                &meter,
                { (meter) throws(RealmError) in
                    let transaction = try meter.aside { () throws(RealmError) in
                        try database.writing()
                    }
                    return try body(reader, transaction)
                }, after: { () throws(RealmError) in database.rollback() })
        case .commit(let body, let undo):
            try repeatedly(
                &meter,
                { (_) throws(RealmError) in
                    try body(database)
                    return 0
                },
                after: { () throws(RealmError) in
                    if let undo {
                        try database.apart { () throws(RealmError) in try undo(database) }
                    }
                })
        }
    }

    /// Repeats the task: as often as the task defines, or for the time that the setting defines.
    private func repeatedly(
        _ meter: inout Meter, _ body: (inout Meter) throws(RealmError) -> Int,
        after: (() throws(RealmError) -> Void)? = nil
    ) throws(RealmError) {
        meter.start()
        while setting.time == nil ? meter.operations < task.times : !meter.isOver {
            let found = try body(&meter)
            meter.lap()
            guard sum ?? found == found else {
                throw .failedCheck("core-\(task.name): two repetitions found different things")
            }
            sum = found
            if let after { try meter.aside(after) }
        }
        meter.stop()
    }

    private func open(isFirst: Bool) throws(RealmError) -> Int {
        var found = 0
        for _ in 0..<10 { found += try openOnce(isFirst) }
        return found
    }

    private func openOnce(_ isFirst: Bool) throws(RealmError) -> Int {
        if isFirst {
            var options = Database.Options()
            options.isDurable = setting.isDurable
            options.key = setting.key
            return Int(try Database.open(scratch.path, options).version)
        }
        // Opened independently of the databases that this process already has open, so that it
        // joins the session like another process.
        guard let joined = try Database(joiningLive: scratch.path, key: setting.key) else {
            throw .failedCheck("the database that is open cannot be joined")
        }
        return Int(joined.version)
    }

    // MARK: Checking

    package func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        if let database {
            try check(database)
            if case .commit = task.work { storage = try database.figures() }
        }
        database = nil
        let read = try Database(immutable: scratch.path, key: setting.key)
        let report = IntegrityCheck(read, level: .quick).run()
        guard report.isClean else { throw .failedCheck("the file that was written is damaged") }
        storage?.liveBytes = Int(clamping: report.facts.liveBytes)
        if storage != nil {
            let compacted = try Compactor.estimate(read.snapshot())
            storage?.compactedSize = Int(clamping: compacted.bytes)
        }
        let objects = try read.snapshot().table(written: "t").count()
        return RunOutcome(
            version: read.version, objects: objects,
            checksum: UInt64(bitPattern: Int64(sum ?? 0)))
    }

    /// Throws an error if the last repetition did not return the required result.
    private func check(_ database: CoreDatabase) throws(RealmError) {
        guard let sum else { return }
        var expected = database.expected
        if let verification = task.verification {
            expected = try verification(try CoreReader(database))
        } else if expected == nil, case .read(let body) = task.work {
            expected = try body(try CoreReader(database, isPlain: true))
        }
        guard sum == expected ?? sum else {
            throw .failedCheck("core-\(task.name): \(sum) was found instead of \(expected ?? 0)")
        }
    }
}
