import RealmEngine
import ToolKit

extension WorkloadCatalogue {
    /// Workloads that read the measured file, or a generated file.
    static let reading: [WorkloadPlan] = [
        WorkloadPlan(
            "open", "open the file, read its schema, count its objects and close it",
            in: [.quick, .standard]
        ) { setting throws(RealmError) in OpenWorkload(setting) },
        WorkloadPlan(
            "readseq", "read every property of every object in the order of their keys",
            isPaced: false, in: [.quick, .standard]
        ) { setting throws(RealmError) in ReadSequentialWorkload(setting) },
        WorkloadPlan(
            "readreverse", "read every property of every object in reverse order of their keys",
            in: [.standard]
        ) { setting throws(RealmError) in ReadReverseWorkload(setting) },
        WorkloadPlan(
            "readrandom", "look up objects at random by key and read every property",
            in: [.quick, .standard]
        ) { setting throws(RealmError) in ReadRandomWorkload(setting, .anywhere) },
        WorkloadPlan(
            "readhot", "like readrandom, but look up only N/100 of the objects", in: [.standard]
        ) { setting throws(RealmError) in ReadRandomWorkload(setting, .hot) },
        WorkloadPlan(
            "readmissing", "look up keys that no object has", in: [.standard]
        ) { setting throws(RealmError) in ReadRandomWorkload(setting, .missing) },
        WorkloadPlan(
            "export", "write every object as NDJSON to a sink that discards it", isPaced: false,
            in: [.standard]
        ) { setting throws(RealmError) in try ExportWorkload(discarding: setting) },
        WorkloadPlan(
            "check", "check every node, value, link and index entry of the file",
            isPaced: false, in: [.standard, .scaling]
        ) { setting throws(RealmError) in CheckWorkload(setting) },
        WorkloadPlan(
            "compact", "write a compacted copy of the file and sync it", isPaced: false,
            in: [.standard, .scaling]
        ) { setting throws(RealmError) in CompactWorkload(setting) },
    ]
}

/// Base of workloads that read a database. The database is opened after all preparations. If the
/// cache is cold, the first reads therefore read from the disk.
class ReadWorkload: Workload {
    let setting: BenchSetting
    private var opened: Database?

    init(_ setting: BenchSetting) { self.setting = setting }

    /// Reads data that is needed to choose operations.
    func prepare(_ snapshot: Snapshot) throws(RealmError) {}

    func setUp() throws(RealmError) {
        try prepare(try Database(immutable: setting.file, key: setting.key).snapshot())
        if setting.isCacheCold { PageCache.evict(setting.file) }
        opened = try Database(immutable: setting.file, key: setting.key)
    }

    func database() throws(RealmError) -> Database {
        guard let opened else { throw .failedCheck("nothing was set up") }
        return opened
    }

    func run(_ meter: inout Meter) throws(RealmError) {}

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        throw .failedCheck("nothing was measured")
    }

    var note: String? { nil }

    /// Returns the outcome of a run. First checks that the number of operations is as expected.
    final func outcome(
        _ meter: Meter, expected: Int, checksum: UInt64
    ) throws(RealmError) -> RunOutcome {
        let database = try database()
        if database.hasChanged { throw DatabaseChange.error }
        guard meter.operations == expected || setting.time != nil else {
            throw .failedCheck("\(meter.operations) objects were read, but \(expected) exist")
        }
        return RunOutcome(version: database.version, objects: expected, checksum: checksum)
    }
}

/// Opens the file, reads its schema, counts the objects of every class, and closes the file. All of
/// that is one operation, which is repeated.
final class OpenWorkload: Workload {
    /// Maximum number of operations: opening takes thousands of times longer than reading an
    /// object.
    private static let most = 1000

    private let path: String
    private let times: Int
    private let key: EncryptionKey?
    private var version: UInt64 = 0
    private var sum: UInt64 = 0

    init(_ setting: BenchSetting) {
        path = setting.file
        key = setting.key
        times = min(setting.num, Self.most)
    }

    func setUp() {}

    @_optimize(speed)
    func run(_ meter: inout Meter) throws(RealmError) {
        meter.start()
        for i in 0..<times {
            let found = try openOnce()
            if i > 0, found != sum { throw DatabaseChange.error }
            sum = found
            meter.lap()
            if meter.isOver { break }
        }
        meter.stop()
    }

    /// Opens the database, reads it and closes it before returning.
    private func openOnce() throws(RealmError) -> UInt64 {
        let database = try Database(immutable: path, key: key)
        let snapshot = database.snapshot()
        version = snapshot.version
        var fold = ValueFold(snapshot, isWalking: false)
        for info in snapshot.schema.tables {
            fold.mix(UInt64(info.key.raw))
            fold.mix(UInt64(info.columns.count))
            fold.mix(UInt64(try snapshot.table(info).count()))
        }
        return fold.sum
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        RunOutcome(version: version, objects: meter.operations, checksum: sum)
    }
}

/// Reads every property of every object of every class, in the order of keys. One operation is an
/// object. Objects are timed leaf by leaf, because reading the clock takes as long as reading an
/// object.
final class ReadSequentialWorkload: ReadWorkload {
    private var sum: UInt64 = 0

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let database = try database()
        meter.start()
        let snapshot = database.snapshot()
        var fold = ValueFold(snapshot, isWalking: true)
        try fold.addAll { meter.lap(operations: $0) }
        meter.stop()
        sum = fold.sum
    }

    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        let snapshot = try database().snapshot()
        let expected = try snapshot.objectCount(snapshot.schema.classes)
        return try outcome(meter, expected: expected, checksum: sum)
    }
}

/// Reads every property of every object in reverse order, from the last object of the last class.
/// Each object is looked up by its key.
final class ReadReverseWorkload: ReadWorkload {
    private var keys: [(table: TableKey, keys: [ObjectKey])] = []
    private var expected = 0
    private var sum: UInt64 = 0

    override func prepare(_ snapshot: Snapshot) throws(RealmError) {
        snapshot.beginWalk()
        for info in snapshot.schema.classes.reversed() {
            let found = try snapshot.table(info).keys()
            expected += found.count
            keys.append((info.key, found))
        }
    }

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let snapshot = try database().snapshot()
        var fold = ValueFold(snapshot, isWalking: false)
        meter.start()
        for (key, keys) in keys {
            let table = try snapshot.table(key)
            let scan = table.scan(columns: Array(table.info.columns.indices))
            let columns = table.info.columns.count
            for key in keys.reversed() {
                guard let row = try scan.seek(key) else {
                    throw .failedCheck("object \(key.raw) is not found by key")
                }
                for column in 0..<columns { try fold.add(try scan.value(row: row, column: column)) }
                meter.lap()
                if meter.isOver { break }
            }
        }
        meter.stop()
        sum = fold.sum
    }

    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        try outcome(meter, expected: expected, checksum: sum)
    }
}

/// Looks up random objects by key and reads every property. One operation is an object.
final class ReadRandomWorkload: ReadWorkload {
    /// Selects the keys to look up.
    enum Target {
        case anywhere
        /// Keys of few objects, which remain in the processor's cache.
        case hot
        /// Keys greater than the keys of all objects.
        case missing
    }

    /// Number of objects that the workload chooses in advance, while the meter's clock is stopped.
    private static let batch = 4096
    private static let hotShare = 100

    private let target: Target
    private var chooser = KeyChooser(.uniform, count: 1, seed: 0)
    /// Tables that have objects. `keys` contains the object keys of each table, `firsts` the number
    /// of objects in all tables before it.
    private var tables: [TableKey] = []
    private var keys: [[ObjectKey]] = []
    private var firsts: [Int] = [0]
    private var sum: UInt64 = 0

    init(_ setting: BenchSetting, _ target: Target = .anywhere) {
        self.target = target
        super.init(setting)
    }

    private var count: Int {
        let all = firsts[tables.count]
        return target == .hot ? max(1, all / Self.hotShare) : all
    }

    override func prepare(_ snapshot: Snapshot) throws(RealmError) {
        snapshot.beginWalk()
        for info in snapshot.schema.classes {
            let found = try snapshot.table(info).keys()
            if found.isEmpty { continue }
            tables.append(info.key)
            keys.append(found)
            firsts.append(firsts.last! + found.count)
        }
        chooser = KeyChooser(setting.distribution, count: max(1, count), seed: setting.seed)
    }

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let snapshot = try database().snapshot()
        let opened = try tables.map { (key) throws(RealmError) in try snapshot.table(key) }
        var fold = ValueFold(snapshot, isWalking: false)
        var chosen: [(table: Int, key: ObjectKey)] = []
        chosen.reserveCapacity(Self.batch)
        var left = tables.isEmpty ? 0 : setting.endless
        while left > 0 {
            choose(min(left, Self.batch), &chosen)
            left -= chosen.count
            meter.start()
            for (table, key) in chosen {
                try read(opened[table], key, &fold)
                meter.lap()
            }
            if meter.isOver { left = 0 }
            meter.stop()
        }
        sum = fold.sum
    }

    private func choose(_ count: Int, _ chosen: inout [(table: Int, key: ObjectKey)]) {
        chosen.removeAll(keepingCapacity: true)
        for _ in 0..<count {
            let position = chooser.choose(self.count)
            let table = firsts.dropFirst().firstIndex { position < $0 }! - 1
            var key = keys[table][position - firsts[table]]
            if target == .missing { key = ObjectKey(key.raw &+ keys[table].last!.raw &+ 1) }
            chosen.append((table, key))
        }
    }

    @inline(__always)
    private func read(_ table: Table, _ key: ObjectKey, _ fold: inout ValueFold) throws(RealmError)
    {
        guard let row = try table.row(key) else {
            guard target == .missing else {
                throw .failedCheck(
                    "object \(key.raw) of \(table.info.className) is not found by key")
            }
            return fold.mix(UInt64(bitPattern: key.raw))
        }
        guard target != .missing else {
            throw .failedCheck("an object is found by the key \(key.raw), which none has")
        }
        for column in table.info.columns.indices { try fold.add(try row.value(column)) }
    }

    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        let times = setting.time == nil ? setting.num : meter.operations
        return try outcome(meter, expected: tables.isEmpty ? 0 : times, checksum: sum)
    }
}

extension Snapshot {
    func objectCount(_ tables: [TableInfo]) throws(RealmError) -> Int {
        var total = 0
        for info in tables { total += try table(info).count() }
        return total
    }
}
