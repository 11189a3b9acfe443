import RealmEngine
import ToolBench
import ToolKit

/// A task of realm-core's own benchmark. It consists of the initial data, and of the work that is
/// repeated and measured.
struct CoreTask: Sendable {
    /// Number of objects that most tasks create, as in realm-core's benchmark. All other numbers of
    /// a task are proportional to it.
    static let usualRows = 200_000

    /// Creates the class `t`, its objects, and the data for the measured repetitions.
    typealias Build = @Sendable (CoreDatabase) throws(RealmError) -> Void
    /// Reads from the database. Returns a number that must be equal in all measured repetitions.
    typealias Reading = @Sendable (CoreReader) throws(RealmError) -> Int
    /// Makes changes in a transaction that is discarded later. Returns a number that must be equal
    /// in all measured repetitions.
    typealias Changing = @Sendable (CoreReader, WriteTransaction) throws(RealmError) -> Int

    /// Work that is measured in one repetition of the task.
    enum Work: Sendable {
        case read(Reading)
        /// Makes changes in a transaction that is discarded afterwards. Only the changes are
        /// measured, not beginning and discarding the transaction.
        case change(Changing)
        /// Begins and commits its own transactions. `undo`, which restores the data, is not
        /// measured.
        case commit(Build, undo: Build?)
        /// Opens the file ten times: as the first instance, or while another instance is open.
        case open(isFirst: Bool)
    }

    let name: String
    let summary: String
    /// Number of measured repetitions in a run.
    let times: Int
    let build: Build
    let work: Work
    /// Computes, in a slower way, the number that each measured repetition must return. If
    /// `verification` is nil, `CoreDatabase.expected` is this number. If that is nil, too, a
    /// reading task is executed once more without search indexes and fast scan functions (kernels).
    var verification: Reading?

    var plan: WorkloadPlan {
        WorkloadPlan("core-" + name, summary, ownsFile: true, in: [.core]) {
            setting throws(RealmError) in
            try CoreWorkload(setting, self)
        }
    }

    static func read(
        _ name: String, _ summary: String, times: Int = 20, _ build: @escaping Build,
        verification: Reading? = nil, _ body: @escaping Reading
    ) -> CoreTask {
        CoreTask(
            name: name, summary: summary, times: times, build: build, work: .read(body),
            verification: verification)
    }

    static func change(
        _ name: String, _ summary: String, times: Int = 5, _ build: @escaping Build,
        _ body: @escaping Changing
    ) -> CoreTask {
        CoreTask(
            name: name, summary: summary, times: times, build: build, work: .change(body))
    }
}

/// Conditions that the tasks query.
extension QueryCondition {
    static func comparing(
        _ property: String, relation: QueryRelation = .equal, to value: QueryArgument,
        foldsCase: Bool = false
    ) -> QueryCondition {
        .comparison(.property(property), relation, .constant(value), foldsCase: foldsCase)
    }

    /// Returns a condition on a property of a linked object.
    static func comparing(
        _ link: QueryStep, _ property: QueryStep, relation: QueryRelation = .equal,
        to value: QueryArgument
    ) -> QueryCondition {
        .comparison(.path([link, property]), relation, .constant(value))
    }
}
