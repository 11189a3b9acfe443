import Glibc
import RealmEngine
import ToolKit

/// Writes every object as NDJSON to `/dev/null`, like `realm-query --all`. One operation is an
/// object. Objects are not timed one by one.
final class ExportWorkload: ReadWorkload {
    private let output: OutputFile
    private var tables: [TableInfo] = []

    init(discarding setting: BenchSetting) throws(RealmError) {
        output = try OutputFile(path: "/dev/null", force: true)
        super.init(setting)
    }

    override func prepare(_ snapshot: Snapshot) throws(RealmError) {
        // Embedded objects are printed inside the objects that contain them.
        tables = snapshot.schema.classes.filter { $0.kind != .embedded }
    }

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let database = try database()
        meter.start()
        var plans: [RecordPlan] = []
        var request = FieldRequest()
        request.hasKeys = true
        request.namesClass = true
        for info in tables {
            var planner = RecordPlanner(info, database.schema, request, ValueStyle())
            plans.append(try planner.plan())
        }
        let export = Export(
            database: database, plans: plans, values: ValueStyle(),
            records: RecordStyle(NDJSONForm.self), threads: setting.threads)
        meter.count(operations: try export.run(VerifiedOutput(output, database)))
        meter.stop()
    }

    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        let expected = try database().snapshot().objectCount(tables)
        return try outcome(meter, expected: expected, checksum: UInt64(output.written))
    }
}

/// Checks the whole file like `realm-compact --check`. One operation is an object. Objects are not
/// timed one by one.
final class CheckWorkload: ReadWorkload {
    private var report: IntegrityReport?

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let database = try database()
        meter.start()
        let found = IntegrityCheck(database).run()
        meter.count(operations: found.facts.tables.reduce(0) { $0 + $1.objects })
        meter.stop()
        report = found
    }

    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        guard let report else { throw .failedCheck("nothing was measured") }
        let snapshot = try database().snapshot()
        let tables = try snapshot.objectCount(snapshot.schema.tables)
        let known = report.facts
        var sum = UInt64(known.nodes) &* 31 &+ known.liveBytes
        sum = sum &* 31 &+ UInt64(report.errorCount)
        return try outcome(meter, expected: tables, checksum: sum)
    }

    override var note: String? {
        guard let report, !report.isClean else { return nil }
        return "\(report.errorCount) errors and \(report.warningCount) warnings were found"
    }
}

/// Follows the link `best` of every person, and reads a number of the dog. One operation is a
/// person. Persons are timed leaf by leaf.
final class LinkWalkWorkload: ReadWorkload {
    private var sum: UInt64 = 0

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let snapshot = try database().snapshot()
        guard let person = snapshot.schema.table(named: "Person"),
            let dog = snapshot.schema.table(named: "Dog")
        else { throw .failedCheck("the generated file lacks a class") }
        let dogs = snapshot.table(dog).scan(columns: [2])
        let people = snapshot.table(person).scan(columns: [PeopleDatabase.Column.best.rawValue])
        meter.start()
        snapshot.beginWalk()
        while try people.next() {
            for row in 0..<people.count {
                guard case .link(let link) = try people.value(row: row, column: 0) else { continue }
                guard let place = try dogs.seek(link.key),
                    case .int(let age) = try dogs.value(row: place, column: 0)
                else { throw .failedCheck("dog \(link.key.raw) is not found") }
                sum &+= UInt64(age)
            }
            meter.lap(operations: people.count)
        }
        meter.stop()
    }

    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        try outcome(meter, expected: setting.num, checksum: sum)
    }
}

/// Reads every element of the list `dogs` of every person. One operation is a person. Persons are
/// timed leaf by leaf.
final class ListIterateWorkload: ReadWorkload {
    private var sum: UInt64 = 0

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let snapshot = try database().snapshot()
        guard let person = snapshot.schema.table(named: "Person") else {
            throw .failedCheck("the generated file has no class Person")
        }
        let people = snapshot.table(person).scan(columns: [PeopleDatabase.Column.dogs.rawValue])
        meter.start()
        snapshot.beginWalk()
        var fold = ValueFold(snapshot, isWalking: true)
        while try people.next() {
            for row in 0..<people.count { try fold.add(try people.value(row: row, column: 0)) }
            meter.lap(operations: people.count)
        }
        meter.stop()
        sum = fold.sum
    }

    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        try outcome(meter, expected: setting.num, checksum: sum)
    }
}

/// Writes a compacted copy in the directory of generated files. One operation is an object. Objects
/// are not timed one by one.
final class CompactWorkload: ReadWorkload {
    private var copy: ScratchFile?
    private var result: Compactor.Result?

    @_optimize(speed)
    override func run(_ meter: inout Meter) throws(RealmError) {
        let database = try database()
        let snapshot = database.snapshot()
        let copy = try ScratchFile(setting, name: "compact")
        self.copy = copy
        meter.start()
        let descriptor = open(copy.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw systemFailure(.output, "cannot create", errno: errno, file: copy.path)
        }
        defer { close(descriptor) }
        var options = Compactor.Options()
        options.key = setting.key
        result = try Compactor.write(
            snapshot, to: descriptor, path: copy.path, options: options)
        meter.count(operations: try snapshot.objectCount(snapshot.schema.tables))
        meter.stop()
    }

    /// Checks that the copy is intact and has the same content.
    override func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        guard let copy, let result else { throw .failedCheck("nothing was measured") }
        let snapshot = try database().snapshot()
        let expected = try snapshot.objectCount(snapshot.schema.tables)
        let copied = try Database(immutable: copy.path, key: setting.key)
        let report = IntegrityCheck(copied, level: .quick).run()
        guard report.errorCount == 0 else { throw .failedCheck("the compacted copy is damaged") }
        var (a, b) = (
            ValueFold(snapshot, isWalking: true), ValueFold(copied.snapshot(), isWalking: true)
        )
        try a.addAll()
        try b.addAll()
        guard a.sum == b.sum else { throw .failedCheck("the compacted copy holds something else") }
        let sum = a.sum &* 31 &+ result.bytes
        return try outcome(meter, expected: expected, checksum: sum)
    }

    override var note: String? {
        result.map { "the copy has \(Quantity.bytes(Int(clamping: $0.bytes)))" }
    }
}

/// Pages of a file in the system's page cache.
enum PageCache {
    /// Removes the pages of a file from the cache, except pages that are mapped. Has no effect on
    /// file systems in memory.
    static func evict(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Only clean pages can be removed from the page cache.
        fdatasync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
    }
}
