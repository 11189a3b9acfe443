import RealmEngine
import ToolBench
import ToolKit

/// One of the common tasks that the reference engine's own benchmark measures: what there is, and
/// what is done to it again and again.
struct CoreTask: Sendable {
    /// Objects most tasks begin with, as in the reference's benchmark. Every other number of a task
    /// is in proportion to it.
    static let usualRows = 200_000

    /// Creates the class `t`, its objects, and the data of the repetitions.
    typealias Build = @Sendable (CoreDatabase) throws(RealmError) -> Void
    /// Reads; returns a result that must be equal in all repetitions.
    typealias Reading = @Sendable (CoreReader) throws(RealmError) -> Int
    /// Makes changes in a transaction that is discarded; returns a result that must be equal in all
    /// repetitions.
    typealias Changing = @Sendable (CoreReader, WriteTransaction) throws(RealmError) -> Int

    /// Work of one repetition.
    enum Work: Sendable {
        case read(Reading)
        /// Beginning and discarding the transaction are not measured.
        case change(Changing)
        /// Begins and commits its own transactions; `undo` is not measured.
        case commit(Build, undo: Build?)
        /// Opens the file ten times, as the first instance or while another one is open.
        case open(isFirst: Bool)
    }

    let name: String
    let summary: String
    /// Repetitions of a run.
    let times: Int
    let build: Build
    let work: Work
    /// Computes the required result of a repetition more slowly. If it is nil and `build` sets no
    /// expectation, the check reads once more without indexes and kernels.
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

/// Conditions of the tasks.
extension QueryCondition {
    static func comparing(
        _ property: String, relation: QueryRelation = .equal, to value: QueryArgument,
        foldsCase: Bool = false
    ) -> QueryCondition {
        .comparison(.property(property), relation, .constant(value), foldsCase: foldsCase)
    }

    /// A property of the object linked to.
    static func comparing(
        _ link: QueryStep, _ property: QueryStep, relation: QueryRelation = .equal,
        to value: QueryArgument
    ) -> QueryCondition {
        .comparison(.path([link, property]), relation, .constant(value))
    }
}
