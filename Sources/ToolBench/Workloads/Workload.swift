import RealmEngine
import ToolKit

/// Outcome of a run. It must be the same for all runs of a workload.
package struct RunOutcome: Equatable {
    /// Version of the measured database.
    let version: UInt64
    /// Number of objects that were opened, read, written or found.
    let objects: Int
    /// Checksum of everything that was read or written.
    let checksum: UInt64

    package init(version: UInt64, objects: Int, checksum: UInt64) {
        self.version = version
        self.objects = objects
        self.checksum = checksum
    }
}

/// One run of a workload. Each run is a new object, so that no run benefits from data that an
/// earlier run left in memory. Confined to one thread.
package protocol Workload: AnyObject {
    /// Prepares the measured part.
    func setUp() throws(RealmError)

    /// Runs the operations and records their times. This is the measured part.
    func run(_ meter: inout Meter) throws(RealmError)

    /// Checks the results of the run, and returns its outcome.
    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome

    /// Storage statistics, available after `finish`; nil for workloads that do not write.
    var storage: StorageStatistics? { get }

    /// Additional remark about the run, available after `finish`; nil if there is none.
    var note: String? { get }
}

extension Workload {
    package var storage: StorageStatistics? { nil }
    package var note: String? { nil }
}

/// Named sets of workloads.
package enum WorkloadSet: String, CaseIterable, Sendable {
    case quick
    case standard
    case ycsb
    case core
    case bulk
    case scaling
    case all

    var summary: String {
        switch self {
        case .quick: "a few workloads on 10000 objects, in less than 20 seconds"
        case .standard: "the default set"
        case .ycsb: "the six YCSB workloads"
        case .core: "the common tasks of the reference engine's benchmark"
        case .bulk: "operations on many objects at once"
        case .scaling: "the default set of --scaling"
        case .all: "every workload"
        }
    }
}

/// Description of a workload: its name, its properties, and a function that creates a run.
package struct WorkloadPlan: Sendable {
    let name: String
    /// Summary of the workload in a few words.
    let summary: String
    /// The query of a query workload; nil for other workloads.
    var query: String?
    /// Whether every run works on a new file, instead of reading the measured file.
    var ownsFile = false
    /// Whether operations are timed one by one, so that `--rate` is possible.
    var isPaced = true
    /// Whether the workload depends on the values of generated persons.
    var needsPeople = false
    /// Sets that contain the workload, in addition to `all`.
    var sets: Set<WorkloadSet> = []
    let make: @Sendable (BenchSetting) throws(RealmError) -> any Workload

    package init(
        _ name: String, _ summary: String, query: String? = nil, ownsFile: Bool = false,
        isPaced: Bool = true, in sets: Set<WorkloadSet> = [],
        make: @escaping @Sendable (BenchSetting) throws(RealmError) -> any Workload
    ) {
        self.name = name
        self.summary = summary
        self.query = query
        self.ownsFile = ownsFile
        self.isPaced = isPaced
        self.sets = sets
        self.make = make
    }
}

/// All workloads, in the order in which they are run.
package struct WorkloadCatalogue: Sendable {
    let all: [WorkloadPlan]
    /// Default number of objects with which the tasks of realm-core's benchmark begin; nil if the
    /// catalogue does not have these tasks.
    let commonRows: Int?

    /// Workloads of `realm-bench`.
    static let installed = WorkloadCatalogue()

    /// Creates a catalogue.
    ///
    /// - Parameter tasks: tasks of realm-core's benchmark, in addition to the workloads of
    ///   `realm-bench`.
    package init(adding tasks: [WorkloadPlan] = [], commonRows: Int? = nil) {
        all =
            Self.reading + Self.queries + Self.writing + Self.concurrent + Self.objects
            + Self.yahoo + Self.bulk + tasks
        self.commonRows = commonRows
    }

    func named(_ name: String) -> WorkloadPlan? { all.first { $0.name == name } }

    func members(of set: WorkloadSet) -> [WorkloadPlan] {
        set == .all ? all : all.filter { $0.sets.contains(set) }
    }

    /// Non-empty sets.
    var sets: [WorkloadSet] { WorkloadSet.allCases.filter { !members(of: $0).isEmpty } }

    /// The valid operands of a command: names of workloads and sets.
    var words: [String] { all.map(\.name) + sets.map(\.rawValue) }
}

extension RealmError {
    /// Returns the error for a workload that found unexpected data.
    package static func failedCheck(_ what: String) -> RealmError {
        RealmError(.internal, code: "CheckFailed", reason: "workload-check", what)
    }
}
