import RealmEngine
import ToolKit

extension WorkloadCatalogue {
    /// The core workloads of the Yahoo Cloud Serving Benchmark.
    static let yahoo: [WorkloadPlan] = [
        plan(YCSBUpdateHeavy.self, "ycsb-a", "half reads, half updates", in: [.ycsb]),
        plan(YCSBReadMostly.self, "ycsb-b", "95% reads, 5% updates", in: [.ycsb]),
        plan(YCSBReadOnly.self, "ycsb-c", "reads only", in: [.ycsb]),
        plan(YCSBReadLatest.self, "ycsb-d", "95% reads of new records, 5% inserts", in: [.ycsb]),
        plan(YCSBScans.self, "ycsb-e", "95% scans of up to 100 records, 5% inserts", in: [.ycsb]),
        plan(
            YCSBReadModifyWrite.self, "ycsb-f", "half reads, half read-modify-writes", in: [.ycsb]),
    ]
}

/// Records with a text as primary key and ten fields of 100 bytes, as in YCSB.
final class RecordDatabase: MeasuredDatabase {
    static let fields = 10
    static let fieldSize = 100

    private(set) var table = TableKey.none
    private(set) var count = 0
    private var random: SplitMix64
    private var text = ByteBuffer(capacity: 256)

    override init(path: String, _ setting: BenchSetting) throws(RealmError) {
        random = SplitMix64(seed: setting.seed)
        try super.init(path: path, setting)
        let t = try writing()
        table = try t.createClass("usertable", primaryKey: PropertySpec("_id", .string))
        for i in 0..<Self.fields { try t.addProperty(table, PropertySpec("field\(i)", .string)) }
        for i in 0..<setting.num {
            try insert()
            if i % 10_000 == 9999 { try commit() }
        }
        try commit()
    }

    /// Returns the primary key of the record at `position`. It is valid until the next text is
    /// created.
    func key(_ position: Int) -> Value {
        text.removeAll()
        text.append("user")
        var hash = SplitMix64(seed: UInt64(position))
        text.append(number: Int64(hash.next() >> 1))
        return .string(ByteView(text.bytes.baseAddress!, count: text.count))
    }

    /// Adds a record. Its position is the number of records before it.
    func insert() throws(RealmError) {
        let key = try writing().create(in: table, primaryKey: key(count))
        count += 1
        logicalBytes += text.count
        for i in 1...Self.fields { try setField(key, i) }
    }

    /// Sets a field to a new text. Fields are counted from 1.
    func setField(_ key: ObjectKey, _ field: Int) throws(RealmError) {
        text.removeAll()
        for _ in 0..<Self.fieldSize { text.append(UInt8(0x61 + random.below(26))) }
        logicalBytes += Self.fieldSize
        try writing().set(
            table, key, field, .string(ByteView(text.bytes.baseAddress!, count: text.count)))
    }
}

/// Executes a mix of operations on records, with one commit for each write. Reads use the newest
/// version.
class YCSBWorkload: StoringWorkload {
    private(set) var records: RecordDatabase?
    private var random = SplitMix64(seed: 0)
    private var snapshot: Snapshot?
    private var sum: UInt64 = 0
    private var done = 0

    /// Percentage of reads among the operations.
    var reads: Int { 50 }
    var distribution: Distribution { .zipfian(theta: Distribution.usualTheta) }

    override final var store: MeasuredDatabase? { records }

    override final func create() throws(RealmError) {
        let records = try RecordDatabase(path: scratch.path, setting)
        try records.writeAsInstance(setting)
        self.records = records
        random = SplitMix64(seed: setting.seed &+ 0xC5B)
    }

    override final func close() {
        snapshot = nil
        records = nil
    }

    /// Number of operations in a run: a tenth of the number of records, but at least 50, so that
    /// each kind of operation occurs.
    private var operations: Int { setting.time == nil ? max(50, setting.num / 10) : .max }

    @_optimize(speed)
    override final func perform(_ meter: inout Meter) throws(RealmError) {
        guard let records else { return }
        var chooser = KeyChooser(
            distribution, count: records.count, seed: setting.seed &+ 0x2C5B)
        snapshot = records.snapshot()
        while done < operations, !meter.isOver {
            let isRead = random.below(100) < reads
            if isRead {
                try read(records, chooser.choose(records.count))
            } else {
                try write(records, chooser.choose(records.count))
                try records.commit()
                snapshot = records.snapshot()
            }
            done += 1
            meter.lap()
        }
        if sum == 0 { throw .failedCheck("nothing was read") }
    }

    /// Reads the record at `position`.
    func read(_ records: RecordDatabase, _ position: Int) throws(RealmError) {
        let (table, key) = try find(records, position)
        guard let row = try table.row(key) else { throw Self.missing(position) }
        var fold = ValueFold(table.snapshot, isWalking: false)
        for column in 1...RecordDatabase.fields { try fold.add(try row.value(column)) }
        sum = sum &* 31 &+ fold.sum | 1
    }

    /// Sets a random field of the record at `position`.
    func write(_ records: RecordDatabase, _ position: Int) throws(RealmError) {
        let t = try records.writing()
        guard let key = try t.find(in: records.table, primaryKey: records.key(position)) else {
            throw Self.missing(position)
        }
        try records.setField(key, 1 + random.below(RecordDatabase.fields))
    }

    /// Reads up to 100 consecutive records, starting at `position`.
    final func scan(_ records: RecordDatabase, _ position: Int) throws(RealmError) {
        let (table, key) = try find(records, position)
        var left = 1 + random.below(100)
        let scan = table.scan(columns: Array(1...RecordDatabase.fields))
        table.snapshot.beginWalk()
        guard var row = try scan.seek(key) else { throw Self.missing(position) }
        var fold = ValueFold(table.snapshot, isWalking: false)
        var next = key
        while left > 0 {
            while row < scan.count, left > 0 {
                for column in 0..<RecordDatabase.fields {
                    try fold.add(try scan.value(row: row, column: column))
                }
                next = ObjectKey(scan.key(row).raw + 1)
                row += 1
                left -= 1
            }
            // Objects created one after the other have consecutive keys.
            guard left > 0, let found = try scan.seek(next) else { break }
            row = found
        }
        sum = sum &* 31 &+ fold.sum | 1
    }

    private func find(
        _ records: RecordDatabase, _ position: Int
    ) throws(RealmError) -> (Table, ObjectKey) {
        guard let snapshot else { throw .failedCheck("nothing was set up") }
        let table = try snapshot.table(records.table)
        guard let key = try table.find(primaryKey: records.key(position)) else {
            throw Self.missing(position)
        }
        return (table, key)
    }

    private static func missing(_ position: Int) -> RealmError {
        .failedCheck("record \(position) is not found by primary key")
    }

    override final func check(_ snapshot: Snapshot) throws(RealmError) -> Int {
        guard let info = snapshot.schema.table(named: "usertable") else {
            throw .failedCheck("the file that was written has no class usertable")
        }
        let count = try snapshot.table(info).count()
        guard count >= setting.num else {
            throw .failedCheck("the file that was written has \(count) records")
        }
        return count
    }

    override final var note: String? { "\(setting.num) records, \(done) operations" }
}

final class YCSBUpdateHeavy: YCSBWorkload {}

final class YCSBReadMostly: YCSBWorkload {
    override var reads: Int { 95 }
}

final class YCSBReadOnly: YCSBWorkload {
    override var reads: Int { 100 }
}

final class YCSBReadLatest: YCSBWorkload {
    override var reads: Int { 95 }
    override var distribution: Distribution { .latest }

    override func write(_ records: RecordDatabase, _ position: Int) throws(RealmError) {
        try records.insert()
    }
}

final class YCSBScans: YCSBWorkload {
    override var reads: Int { 95 }

    override func read(_ records: RecordDatabase, _ position: Int) throws(RealmError) {
        try scan(records, position)
    }

    override func write(_ records: RecordDatabase, _ position: Int) throws(RealmError) {
        try records.insert()
    }
}

/// Each write first reads the record in the same transaction.
final class YCSBReadModifyWrite: YCSBWorkload {
    override func write(_ records: RecordDatabase, _ position: Int) throws(RealmError) {
        let t = try records.writing()
        guard let key = try t.find(in: records.table, primaryKey: records.key(position)) else {
            throw .failedCheck("record \(position) is not found by primary key")
        }
        for column in 1...RecordDatabase.fields {
            guard try t.value(records.table, key, column) != nil else {
                throw .failedCheck("record \(position) has no field \(column)")
            }
        }
        try records.setField(key, 1 + Int(key.raw) % RecordDatabase.fields)
    }
}
