import RealmEngine

/// What all runs of a measurement have in common.
struct BenchSetting: Sendable, Equatable {
    /// The database that reading workloads read.
    var file = ""
    /// It was made for this measurement.
    var isGenerated = false
    /// Operations per run of workloads that have no end of their own.
    var num = 100_000
    var runs = 5
    var warmup = Duration.milliseconds(200)
    var seed: UInt64 = 1
    /// Worker threads of workloads that use several.
    var threads = 1
    /// Operations between two commits.
    var batch = 100
    /// Bytes of payload in every generated object.
    var valueSize = 0
    /// Commits survive a power failure.
    var isDurable = true
    /// Where generated databases go.
    var directory = "."
    /// Generated databases stay.
    var keepsFiles = false
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

    /// What was stored, known after `finish`; nil for workloads that write nothing.
    var storage: StorageFigures? { get }
}

extension Workload {
    var storage: StorageFigures? { nil }
}

/// A workload as a measurement knows it: its name in the report, and how to make a run of it.
struct WorkloadPlan: Sendable {
    let name: String
    /// The query it runs; nil for other workloads.
    var query: String?
    /// Every run works on a new file of its own.
    var writes = false
    let make: @Sendable (BenchSetting) throws(RealmError) -> any Workload

    init(
        name: String, query: String? = nil, writes: Bool = false,
        make: @escaping @Sendable (BenchSetting) throws(RealmError) -> any Workload
    ) {
        self.name = name
        self.query = query
        self.writes = writes
        self.make = make
    }
}

/// The workloads by name, in the order in which they run.
enum WorkloadKind: String, CaseIterable, Sendable {
    case open
    case readseq
    case readrandom
    case export
    case fillseq
    case fillrandom
    case fillbatch
    case fillsync
    case overwrite
    case updaterandom
    case deleteseq
    case deleterandom
    case churn
    case createIndex = "create-index"
    case queryInt = "query-int"
    case queryIntIndex = "query-int-index"
    case queryString = "query-string"
    case queryStringIndex = "query-string-index"
    case queryLike = "query-like"
    case queryLinks = "query-links"
    case queryFulltext = "query-fulltext"
    case queryIn = "query-in"
    case sort
    case sortLimit = "sort-limit"
    case distinct
    case aggregate

    /// What it measures, in a few words.
    var summary: String {
        switch self {
        case .open: "open the file, read its schema, count its objects and close it"
        case .readseq: "read every property of every object in the order of their keys"
        case .readrandom: "look up objects at random by key and read every property"
        case .export: "write every object as NDJSON to a sink that discards it"
        case .fillseq: "insert objects in the order of their primary keys"
        case .fillrandom: "insert objects in random order of their primary keys"
        case .fillbatch: "as fillseq, with commits ten times as large"
        case .fillsync: "insert objects with a commit for each, a hundredth of the number"
        case .overwrite: "find objects at random by primary key and set every property"
        case .updaterandom: "find objects at random by primary key and set one number"
        case .deleteseq: "remove all objects in the order of their primary keys"
        case .deleterandom: "remove all objects in random order"
        case .churn: "remove an object at random and insert a new one"
        case .createIndex: "add a search index to a string property of all objects"
        case .queryInt: "count objects by a number"
        case .queryIntIndex: "find an object by its primary key"
        case .queryString: "count objects by a string"
        case .queryStringIndex: "find an object by a string with an index"
        case .queryLike: "count objects by a string with wildcards"
        case .queryLinks: "count objects by a number of the object they link to"
        case .queryFulltext: "count objects by a word of a string with a full-text index"
        case .queryIn: "count objects by a list of numbers"
        case .sort: "sort all objects by a string and a number"
        case .sortLimit: "find the first 20 objects by a fraction"
        case .distinct: "find the first object of every value of a string"
        case .aggregate: "count, sum, average and maximum in one pass"
        }
    }

    /// Works on made-up people only.
    var needsPeople: Bool { PeopleQuery(self) != nil || self == .aggregate || plan.writes }

    var plan: WorkloadPlan {
        WorkloadPlan(name: rawValue, writes: writer != nil) { setting throws(RealmError) in
            try make(setting)
        }
    }

    /// What runs it, if it writes.
    private var writer: WriteWorkload.Type? {
        switch self {
        case .open, .readseq, .readrandom, .export: nil
        case .fillseq: FillSequential.self
        case .fillrandom: FillRandom.self
        case .fillbatch: FillBatch.self
        case .fillsync: FillSync.self
        case .overwrite: Overwrite.self
        case .updaterandom: UpdateRandom.self
        case .deleteseq: DeleteSequential.self
        case .deleterandom: DeleteRandom.self
        case .churn: Churn.self
        case .createIndex: CreateIndex.self
        case .queryInt, .queryIntIndex, .queryString, .queryStringIndex, .queryLike, .queryLinks,
            .queryFulltext, .queryIn, .sort, .sortLimit, .distinct, .aggregate:
            nil
        }
    }

    private func make(_ setting: BenchSetting) throws(RealmError) -> any Workload {
        switch self {
        case .open: return OpenWorkload(setting)
        case .readseq: return try ReadSequentialWorkload(setting)
        case .readrandom: return try ReadRandomWorkload(setting)
        case .export: return try ExportWorkload(setting)
        case .aggregate: return try AggregateWorkload(setting)
        default:
            if let query = PeopleQuery(self) { return try PeopleQueryWorkload(setting, query) }
            return try writer!.init(setting, name: rawValue)
        }
    }
}

extension RealmError {
    /// A workload did not find what it should have found.
    static func failedCheck(_ what: String) -> RealmError {
        RealmError(.internal, code: "CheckFailed", reason: "workload-check", what)
    }
}
