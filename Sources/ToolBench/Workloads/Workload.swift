import RealmEngine
import ToolKit

/// What a run found: the same in every run of a workload, or something is wrong.
package struct RunOutcome: Equatable {
    /// Version of the database that was measured.
    let version: UInt64
    /// Objects that were opened, read, written or found.
    let objects: Int
    /// Sum over everything that was read or written.
    let checksum: UInt64

    package init(version: UInt64, objects: Int, checksum: UInt64) {
        self.version = version
        self.objects = objects
        self.checksum = checksum
    }
}

/// One run of a workload. Made anew for every run, so that none profits from what another one left
/// in memory. Confined to one thread.
package protocol Workload: AnyObject {
    /// Makes ready what the measured part needs.
    func setUp() throws(RealmError)

    /// The measured part: does the operations and notes how long each took.
    func run(_ meter: inout Meter) throws(RealmError)

    /// Checks that what was done is what should have been done.
    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome

    /// What was stored, known after `finish`; nil for workloads that write nothing.
    var storage: StorageFigures? { get }

    /// What else there is to say about the run, known after `finish`.
    var note: String? { get }
}

extension Workload {
    package var storage: StorageFigures? { nil }
    package var note: String? { nil }
}

/// Names for several workloads at once.
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
        case .quick: "a few workloads on 10000 objects, done in less than 20 seconds"
        case .standard: "what is measured when nothing is named"
        case .ycsb: "the six YCSB workloads"
        case .core: "the common tasks of the reference engine's benchmark"
        case .bulk: "operations on many objects at once"
        case .scaling: "what is measured at several sizes when nothing is named"
        case .all: "every workload"
        }
    }
}

/// A workload as a measurement knows it: its name in the report, and how to make a run of it.
package struct WorkloadPlan: Sendable {
    let name: String
    /// What it measures, in a few words.
    let summary: String
    /// The query it runs; nil for other workloads.
    var query: String?
    /// Every run works on a new file of its own instead of reading the measured one.
    var ownsFile = false
    /// Single operations are timed, so that they can begin at a rate.
    var isPaced = true
    /// Works only on the generated people, whose values it knows.
    var needsPeople = false
    /// The sets it belongs to, besides `all`.
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

/// The workloads by name, in the order in which they run.
package struct WorkloadCatalogue: Sendable {
    let all: [WorkloadPlan]
    /// Objects the common tasks begin with unless a number is given; nil when there are none.
    let commonRows: Int?

    /// Those of `realm-bench`.
    static let installed = WorkloadCatalogue()

    /// - Parameter tasks: common tasks that are measured besides.
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

    /// Sets that have members.
    var sets: [WorkloadSet] { WorkloadSet.allCases.filter { !members(of: $0).isEmpty } }

    /// Everything an operand may say.
    var words: [String] { all.map(\.name) + sets.map(\.rawValue) }
}

extension RealmError {
    /// A workload did not find what it should have found.
    package static func failedCheck(_ what: String) -> RealmError {
        RealmError(.internal, code: "CheckFailed", reason: "workload-check", what)
    }
}
