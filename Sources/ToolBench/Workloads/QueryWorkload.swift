import RealmEngine
import Synchronization
import ToolKit

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

    /// Nanoseconds after which no further operation begins.
    private let limit: UInt64

    private let database: Database
    package let snapshot: Snapshot
    private(set) var request: QueryUnderTest
    private let answer: Answer
    private let most: Int
    private let setting: BenchSetting
    private(set) var table: TableInfo?
    /// What the last operation found.
    private var last = Finding()
    var rows: RowSet? { last.rows }

    /// What one operation finds.
    private struct Finding: Sendable {
        var count = 0
        var sum: UInt64 = 0
        var rows: RowSet?
    }

    /// - Parameter times: operations of a run; nil for as many as there is time for.
    init(
        _ setting: BenchSetting, _ request: QueryUnderTest, _ answer: Answer, times: Int? = nil
    ) throws(RealmError) {
        database = try Database(immutable: setting.file, key: setting.key)
        snapshot = database.snapshot()
        self.request = request
        self.answer = answer
        most = min(setting.num, times ?? .max)
        self.setting = setting
        limit = times == nil ? Self.enough : .max
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

    @_optimize(speed)
    func run(_ meter: inout Meter) throws(RealmError) {
        guard let table else { return }
        let question = Question(request, answer, table)
        meter.start()
        if setting.readers == 1 {
            last = try ask(question, snapshot, most, &meter)
        } else {
            try askTogether(question, &meter)
        }
        meter.stop()
    }

    /// Asks again and again, up to `most` times.
    private func ask(
        _ question: Question, _ snapshot: Snapshot, _ most: Int, _ meter: inout Meter
    ) throws(RealmError) -> Finding {
        var finding = Finding()
        var ended = false
        while !ended {
            finding = try question.ask(snapshot)
            let now = meter.lap()
            ended = meter.operations >= most || now >= limit || meter.isOver
        }
        return finding
    }

    /// Several threads ask, each with a snapshot of its own; all must find the same.
    private func askTogether(_ question: Question, _ meter: inout Meter) throws(RealmError) {
        let shared = Mutex<(meter: Meter, findings: [Finding], failure: RealmError?)>(
            (Meter(), [], nil))
        let share = max(1, most / setting.readers)
        let this = Unconfined(self)
        Threads.run(setting.readers) { _ in
            let this = this.value
            var own = this.setting.meter
            do throws(RealmError) {
                own.start()
                let finding = try this.ask(question, this.database.snapshot(), share, &own)
                let measured = own
                shared.withLock {
                    $0.meter.merge(measured)
                    $0.findings.append(finding)
                }
            } catch {
                shared.withLock { $0.failure = error }
            }
        }
        let result = shared.withLock { $0 }
        if let failure = result.failure { throw failure }
        meter.merge(result.meter)
        guard let first = result.findings.first,
            result.findings.allSatisfy({ $0.count == first.count && $0.sum == first.sum })
        else { throw .failedCheck("the threads that asked found different things") }
        last = first
    }

    /// What each operation asks.
    private struct Question: Sendable {
        private let request: QueryUnderTest
        private let answer: Answer
        private let table: TableInfo

        init(_ request: QueryUnderTest, _ answer: Answer, _ table: TableInfo) {
            self.request = request
            self.answer = answer
            self.table = table
        }

        func ask(_ snapshot: Snapshot) throws(RealmError) -> Finding {
            snapshot.beginWalk()
            let query = try Query(request.predicate).bound(to: snapshot.table(table))
            let plan = try QueryPlan(query, in: snapshot)
            switch answer {
            case .count: return Finding(count: try plan.count(in: snapshot))
            case .rows:
                let rows = try plan.rows(in: snapshot)
                let last = UInt64(bitPattern: rows.keys.last?.raw ?? 0)
                return Finding(count: rows.count, sum: last, rows: rows)
            }
        }
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        if database.hasChanged { throw DatabaseChange.error }
        try check(last.count)
        return RunOutcome(version: database.version, objects: last.count, checksum: last.sum)
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
            WorkloadPlan(
                "query-\(number)-\(answer.rawValue)", "run a query", query: text
            ) { setting throws(RealmError) in
                try QueryWorkload(setting, self, answer)
            }
        }
    }
}
