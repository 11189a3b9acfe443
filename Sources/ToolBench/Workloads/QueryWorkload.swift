import RealmEngine
import Synchronization
import ToolKit

/// Runs one query repeatedly. One operation consists of parsing, planning and executing the query.
class QueryWorkload: Workload {
    enum Answer: String, CaseIterable, Sendable {
        /// Counts the objects.
        case count
        /// Collects the keys of the objects, in the order of the query.
        case rows
    }

    /// Nanoseconds for which the query is repeated, unless the configured number of operations is
    /// reached earlier.
    private static let enough: UInt64 = 200_000_000

    /// Nanoseconds after which no further repetition of the query begins.
    private let limit: UInt64

    private let database: Database
    package let snapshot: Snapshot
    private(set) var request: QueryUnderTest
    private let answer: Answer
    private let most: Int
    private let setting: BenchSetting
    private(set) var table: TableInfo?
    /// Result of the last execution of the query.
    private var last = Finding()
    var rows: RowSet? { last.rows }

    /// Result of one execution of the query.
    private struct Finding: Sendable {
        var count = 0
        var sum: UInt64 = 0
        var rows: RowSet?
    }

    /// - Parameter times: number of repetitions in a run; nil to repeat for a fixed time.
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

    /// Replaces the predicate.
    func change(to predicate: String) throws(RealmError) {
        request = try QueryUnderTest("\(request.className):\(predicate)")
    }

    /// Checks the result of the last operation. Does nothing in this class, because the correct
    /// result of a user's query is unknown.
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

    /// Repeats the query, up to `most` times.
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

    /// Runs the query on several threads, each with its own snapshot. Checks that all get the same
    /// result.
    private func askTogether(_ question: Question, _ meter: inout Meter) throws(RealmError) {
        let shared = Mutex<(meter: Meter, findings: [Finding], failure: RealmError?)>(
            (Meter(), [], nil))
        let share = max(1, most / setting.readers)
        let this = UncheckedSendableBox(self)
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

    /// The query that every operation runs, parsed anew each time.
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

    /// Throws `misuse` if the text has no class, or if the predicate is invalid.
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

    /// Returns the two workloads of the query: one counts the objects, the other collects their
    /// keys. `number` distinguishes several queries of a command line.
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
