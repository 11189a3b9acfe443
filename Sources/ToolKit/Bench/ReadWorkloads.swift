import RealmEngine

/// Opens the file, reads its schema, counts the objects of every class and closes it, again and
/// again. One operation is all of that.
final class OpenWorkload: Workload {
    /// Opening is thousands of times slower than reading an object, so that this many times say
    /// enough.
    private static let most = 1000

    private let path: String
    private let times: Int
    private var version: UInt64 = 0
    private var sum: UInt64 = 0

    init(_ setting: BenchSetting) {
        path = setting.file
        times = min(setting.num, Self.most)
    }

    func setUp() {}

    func run(_ meter: inout Meter) throws(RealmError) {
        meter.start()
        for i in 0..<times {
            let found = try openOnce()
            if i > 0, found != sum { throw DatabaseChange.error }
            sum = found
            meter.lap()
        }
        meter.stop()
    }

    /// The database is closed when this returns.
    private func openOnce() throws(RealmError) -> UInt64 {
        let database = try Database(immutable: path)
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

/// Reads every property of every object of every class, in the order of their keys. One operation
/// is an object; they are timed by the leaf, because reading the clock takes as long as reading an
/// object.
final class ReadSequentialWorkload: Workload {
    private let database: Database
    private var sum: UInt64 = 0

    init(_ setting: BenchSetting) throws(RealmError) {
        database = try Database(immutable: setting.file)
    }

    func setUp() {}

    func run(_ meter: inout Meter) throws(RealmError) {
        meter.start()
        let snapshot = database.snapshot()
        var fold = ValueFold(snapshot, isWalking: true)
        try fold.addAll { meter.lap(operations: $0) }
        meter.stop()
        sum = fold.sum
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        let snapshot = database.snapshot()
        let expected = try snapshot.objectCount(snapshot.schema.classes)
        return try database.outcome(meter, expected: expected, checksum: sum)
    }
}

/// Looks up objects at random by key and reads every property. One operation is an object.
final class ReadRandomWorkload: Workload {
    /// Objects are chosen this many at a time, while the clock stands.
    private static let batch = 4096

    private let database: Database
    private let snapshot: Snapshot
    private let times: Int
    private var random: SplitMix64
    private var tables: [Table] = []
    /// The keys of each table's objects, and the number of objects in the tables before.
    private var keys: [[ObjectKey]] = []
    private var firsts: [Int] = []
    private var sum: UInt64 = 0

    init(_ setting: BenchSetting) throws(RealmError) {
        database = try Database(immutable: setting.file)
        snapshot = database.snapshot()
        times = setting.num
        random = SplitMix64(seed: setting.seed)
    }

    func setUp() throws(RealmError) {
        snapshot.beginWalk()
        var total = 0
        for info in snapshot.schema.classes {
            let table = snapshot.table(info)
            let found = try table.keys()
            if found.isEmpty { continue }
            tables.append(table)
            keys.append(found)
            firsts.append(total)
            total += found.count
        }
        firsts.append(total)
    }

    func run(_ meter: inout Meter) throws(RealmError) {
        var fold = ValueFold(snapshot, isWalking: false)
        var chosen: [(table: Int, key: ObjectKey)] = []
        chosen.reserveCapacity(Self.batch)
        var left = tables.isEmpty ? 0 : times
        while left > 0 {
            choose(min(left, Self.batch), &chosen)
            left -= chosen.count
            meter.start()
            for (table, key) in chosen {
                try read(tables[table], key, &fold)
                meter.lap()
            }
            meter.stop()
        }
        sum = fold.sum
    }

    private func choose(_ count: Int, _ chosen: inout [(table: Int, key: ObjectKey)]) {
        chosen.removeAll(keepingCapacity: true)
        for _ in 0..<count {
            let position = random.below(firsts[tables.count])
            let table = firsts.dropFirst().firstIndex { position < $0 }! - 1
            chosen.append((table, keys[table][position - firsts[table]]))
        }
    }

    @inline(__always)
    private func read(_ table: Table, _ key: ObjectKey, _ fold: inout ValueFold) throws(RealmError)
    {
        guard let row = try table.row(key) else {
            throw .failedCheck("object \(key.raw) of \(table.info.className) is not found by key")
        }
        for column in table.info.columns.indices { try fold.add(try row.value(column)) }
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        try database.outcome(meter, expected: tables.isEmpty ? 0 : times, checksum: sum)
    }
}

/// Writes every object as NDJSON to a sink that discards it, as `realm-query --all` would print it.
/// One operation is an object; single ones are not timed.
final class ExportWorkload: Workload {
    private let database: Database
    private let threads: Int
    private let output: OutputFile
    private var tables: [TableInfo] = []

    init(_ setting: BenchSetting) throws(RealmError) {
        database = try Database(immutable: setting.file)
        threads = setting.threads
        output = try OutputFile(path: "/dev/null", force: true)
    }

    func setUp() {
        // Embedded objects are printed inside their parents.
        tables = database.schema.classes.filter { $0.kind != .embedded }
    }

    func run(_ meter: inout Meter) throws(RealmError) {
        meter.start()
        var plans: [RecordPlan] = []
        var request = FieldRequest()
        request.hasKeys = true
        request.namesClass = true
        for info in tables {
            var planner = RecordPlanner(info, database.schema, request, ValueStyle())
            plans.append(try planner.plan())
        }
        var export = Export(
            database: database, plans: plans, values: ValueStyle(),
            records: RecordStyle(format: .ndjson))
        export.threads = threads
        meter.count(operations: try export.run(VerifiedOutput(output, database)))
        meter.stop()
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        let expected = try database.snapshot().objectCount(tables)
        return try database.outcome(meter, expected: expected, checksum: UInt64(output.written))
    }
}

extension Snapshot {
    fileprivate func objectCount(_ tables: [TableInfo]) throws(RealmError) -> Int {
        var total = 0
        for info in tables { total += try table(info).count() }
        return total
    }
}

extension Database {
    /// What a run over this database found, if it is what it should have found.
    fileprivate func outcome(
        _ meter: Meter, expected: Int, checksum: UInt64
    ) throws(RealmError) -> RunOutcome {
        if hasChanged { throw DatabaseChange.error }
        guard meter.operations == expected else {
            throw .failedCheck("\(meter.operations) objects were read, but \(expected) exist")
        }
        return RunOutcome(version: version, objects: expected, checksum: checksum)
    }
}
