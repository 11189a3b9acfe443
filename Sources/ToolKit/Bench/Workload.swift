import RealmEngine

/// What all runs of a measurement have in common.
struct BenchSetting: Sendable, Equatable {
    /// The database that is measured.
    var file: String
    /// Operations per run of workloads that have no end of their own.
    var num = 100_000
    var runs = 5
    var warmup = Duration.milliseconds(200)
    var seed: UInt64 = 1
    /// Worker threads of workloads that use several.
    var threads = 1
}

/// What a run found: the same in every run of a workload, or something is wrong.
struct RunOutcome: Equatable {
    /// Version of the database that was measured.
    let version: UInt64
    /// Objects that were opened, read, written or found.
    let objects: Int
    /// Sum over everything that was read or written.
    let checksum: UInt64
}

/// One run of a workload. Made anew for every run, so that none profits from what another one left
/// in memory. Confined to one thread.
protocol Workload: AnyObject {
    /// Makes ready what the measured part needs.
    func setUp() throws(RealmError)

    /// The measured part: does the operations and notes how long each took.
    func run(_ meter: inout Meter) throws(RealmError)

    /// Checks that what was done is what should have been done.
    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome
}

/// A workload as a measurement knows it: its name in the report, and how to make a run of it.
struct WorkloadPlan: Sendable {
    let name: String
    /// The query it runs; nil for other workloads.
    var query: String?
    let make: @Sendable (BenchSetting) throws(RealmError) -> any Workload

    init(
        name: String, query: String? = nil,
        make: @escaping @Sendable (BenchSetting) throws(RealmError) -> any Workload
    ) {
        self.name = name
        self.query = query
        self.make = make
    }
}

/// The workloads by name, in the order in which they run.
enum WorkloadKind: String, CaseIterable, Sendable {
    case open
    case readseq
    case readrandom
    case export

    /// What it measures, in a few words.
    var summary: String {
        switch self {
        case .open: "open the file, read its schema, count its objects and close it"
        case .readseq: "read every property of every object in the order of their keys"
        case .readrandom: "look up objects at random by key and read every property"
        case .export: "write every object as NDJSON to a sink that discards it"
        }
    }

    var plan: WorkloadPlan {
        WorkloadPlan(name: rawValue) { setting throws(RealmError) in try make(setting) }
    }

    private func make(_ setting: BenchSetting) throws(RealmError) -> any Workload {
        switch self {
        case .open: OpenWorkload(setting)
        case .readseq: try ReadSequentialWorkload(setting)
        case .readrandom: try ReadRandomWorkload(setting)
        case .export: try ExportWorkload(setting)
        }
    }
}

extension RealmError {
    /// A workload did not find what it should have found.
    static func failedCheck(_ what: String) -> RealmError {
        RealmError(.internal, code: "CheckFailed", reason: "workload-check", what)
    }
}
