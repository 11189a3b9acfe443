import RealmEngine

/// Runs one query again and again: parsing, planning and searching. One operation is all of that.
class QueryWorkload: Workload {
    enum Answer: String, CaseIterable, Sendable {
        /// The number of objects.
        case count
        /// The keys of the objects, in the query's order.
        case rows
    }

    /// A run repeats the query for this long, but not more often than there are operations.
    private static let enough: UInt64 = 200_000_000

    private let database: Database
    let snapshot: Snapshot
    private(set) var request: QueryUnderTest
    private let answer: Answer
    private let most: Int
    private(set) var table: TableInfo?
    private var found = 0
    private var sum: UInt64 = 0
    /// What the last operation found.
    private(set) var rows: RowSet?

    init(_ setting: BenchSetting, _ request: QueryUnderTest, _ answer: Answer) throws(RealmError) {
        database = try Database(immutable: setting.file)
        snapshot = database.snapshot()
        self.request = request
        self.answer = answer
        most = setting.num
    }

    /// Asks something else instead.
    func change(to predicate: String) throws(RealmError) {
        request = try QueryUnderTest("\(request.className):\(predicate)")
    }

    /// Checks what the last operation found; nothing is known about queries of a user.
    func check(_ found: Int) throws(RealmError) {}

    func setUp() throws(RealmError) {
        table = snapshot.schema.classes.first { $0.className == request.className }
        if table != nil { return }
        throw .misuse(
            "--query: there is no class \(request.className)", code: "NoSuchTable",
            reason: "unknown-class")
    }

    func run(_ meter: inout Meter) throws(RealmError) {
        meter.start()
        var ended = false
        while !ended {
            try ask()
            let now = meter.lap()
            ended = meter.operations >= most || now >= Self.enough
        }
        meter.stop()
    }

    private func ask() throws(RealmError) {
        guard let table else { return }
        snapshot.beginWalk()
        let query = try Query(request.predicate).bound(to: snapshot.table(table))
        let plan = try QueryPlan(query, in: snapshot)
        switch answer {
        case .count: found = try plan.count(in: snapshot)
        case .rows:
            let rows = try plan.rows(in: snapshot)
            self.rows = rows
            found = rows.count
            sum = UInt64(bitPattern: rows.keys.last?.raw ?? 0)
        }
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        if database.hasChanged { throw DatabaseChange.error }
        try check(found)
        return RunOutcome(version: database.version, objects: found, checksum: sum)
    }
}

/// `CLASS:PREDICATE`, the argument of `--query`.
struct QueryUnderTest: Sendable, Equatable {
    let className: String
    let predicate: String

    /// Throws `misuse` for text without a class, and for a predicate that is none.
    init(_ text: String) throws(RealmError) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw .misuse(
                "--query: '\(text)' is not of the form CLASS:PREDICATE", code: "InvalidArgument",
                reason: "bad-value")
        }
        className = String(text[..<colon])
        let rest = text[text.index(after: colon)...]
        predicate = rest.allSatisfy { $0 == " " } ? "TRUEPREDICATE" : String(rest)
        _ = try Query(predicate)
    }

    var text: String { "\(className):\(predicate)" }

    /// Its two workloads. `number` tells the queries of a run apart.
    func plans(number: Int) -> [WorkloadPlan] {
        QueryWorkload.Answer.allCases.map { answer in
            WorkloadPlan(name: "query-\(number)-\(answer.rawValue)", query: text) {
                setting throws(RealmError) in
                try QueryWorkload(setting, self, answer)
            }
        }
    }
}
