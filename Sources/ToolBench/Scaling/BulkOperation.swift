import RealmEngine
import ToolKit

/// One operation on many objects. The other files of this folder declare the operations in tables;
/// each operation is a workload of the same name.
struct BulkOperation: Sendable {
    typealias Step = @Sendable (BulkDatabase) throws(RealmError) -> Void

    let name: String
    /// Summary of the operation for `--list` and the manual.
    let summary: String
    /// Number by which `--num` is divided. Larger than 1 if the operation counts commits, classes
    /// or versions.
    let divisor: Int
    /// Returns the number of objects in the file after the operation. The argument is
    /// `BulkDatabase.count`.
    let leaves: @Sendable (Int) -> Int
    /// Creates and commits the data that the measured part needs.
    let prepare: Step
    /// Work that is timed, including its commits.
    let measure: Step

    init(
        _ name: String, _ summary: String, per divisor: Int = 1,
        leaves: @escaping @Sendable (Int) -> Int, prepare: @escaping Step, measure: @escaping Step
    ) {
        (self.name, self.summary, self.divisor) = (name, summary, divisor)
        (self.leaves, self.prepare, self.measure) = (leaves, prepare, measure)
    }

    static let all =
        links + collections + objects + schema + loading + records + versions + reading

    /// Number of objects, elements, classes or versions of a run; at least 3.
    func count(_ setting: BenchSetting) -> Int { max(3, setting.num / divisor) }
}

extension WorkloadCatalogue {
    /// The bulk operations as workloads. Each runs on a new file.
    static let bulk: [WorkloadPlan] = BulkOperation.all.map {
        plan(
            BulkWorkload.self, $0.name, $0.summary, isPaced: false, in: [.bulk, .scaling])
    }
}

/// One run of a bulk operation. Each object counts as an operation of the meter; objects are not
/// timed one by one.
final class BulkWorkload: StoringWorkload {
    private let operation: BulkOperation
    private let count: Int
    private var database: BulkDatabase?

    required init(_ setting: BenchSetting, name: String) throws(RealmError) {
        guard let operation = BulkOperation.all.first(where: { $0.name == name }) else {
            throw .failedCheck("there is no bulk operation \(name)")
        }
        self.operation = operation
        count = operation.count(setting)
        try super.init(setting, name: name)
    }

    override var store: MeasuredDatabase? { database }

    override func create() throws(RealmError) {
        let database = try BulkDatabase(path: scratch.path, setting)
        database.count = count
        self.database = database
        try operation.prepare(database)
        try database.commit()
    }

    override func perform(_ meter: inout Meter) throws(RealmError) {
        guard let database else { return }
        try operation.measure(database)
        try database.commit()
        meter.count(operations: count)
    }

    override func close() { database = nil }

    override func check(_ snapshot: Snapshot) throws(RealmError) -> Int {
        let found = try snapshot.objectCount(snapshot.schema.classes)
        let expected = operation.leaves(count)
        guard found == expected else {
            throw .failedCheck("\(operation.name) left \(found) objects, not \(expected)")
        }
        return found
    }
}
