import RealmEngine
import RealmRecords
import ToolKit

/// `--remnants`: prints deleted objects and earlier values of objects. Their bytes are still in the
/// file, although the newest version does not use them.
struct RemnantAnswer {
    private let request: QueryRequest
    private let database: Database
    private let output: OutputFile
    private let diagnostics: Diagnostics

    init(_ request: QueryRequest, _ database: Database, _ output: OutputFile) {
        (self.request, self.database, self.output) = (request, database, output)
        diagnostics = Diagnostics(request.command)
    }

    func print() throws(RealmError) -> ExitCode {
        let activity = ActivityReporter(
            request.command, file: request.path, doing: "searching", meter: nil)
        let remnants = try Remnants(
            database, spillingInto: Terminal.temporaryDirectory,
            maxMemory: request.command.maxMemory, threads: request.command.workers)
        activity.finish()
        let verified = VerifiedOutput(output, remnants.views)
        let positions = try wanted(remnants)
        let count = try print(positions, remnants, verified)
        for note in remnants.notes { diagnostics.notice(note) }
        if count == 0, remnants.unusedBytes == 0, remnants.views.count == 1 {
            diagnostics.notice(
                "no space in the file is unused: nothing of earlier versions is left")
        }
        return request.exitCode(records: count)
    }

    private func wanted(_ remnants: Remnants) throws(RealmError) -> [Int] {
        guard case .objects(let name) = request.subject else {
            return Array(remnants.classes.indices)
        }
        let found = remnants.classes.indices.filter { remnants.classes[$0].className == name }
        if !found.isEmpty { return found }
        let near = Spelling.nearest(3, to: name, among: remnants.classes.map(\.className))
        throw .misuse(
            "there is no class \(name), nor was there one", code: "NoSuchTable",
            reason: "unknown-class",
            hint: near.isEmpty
                ? "the database has no classes" : "did you mean \(near.joined(separator: ", "))?")
    }

    private func print(
        _ positions: [Int], _ remnants: Remnants, _ verified: VerifiedOutput
    ) throws(RealmError) -> Int {
        let form = request.recordForm
        let isSingle = if case .objects = request.subject { true } else { false }
        if request.isStat { return try printStatistics(positions, remnants, verified) }
        if form.cells.isDelimited, !isSingle, !request.isCount {
            throw .misuse(
                "-f \(form.format.rawValue) needs a CLASS: classes have different columns",
                code: "InvalidArgument",
                hint: "name a CLASS")
        }
        let printer = RemnantPrinter(request, remnants, verified, namesClass: !isSingle)
        for position in positions where try !printer.print(position) { break }
        try printer.finish()
        for failure in printer.failures { diagnostics.warn(failure) }
        return printer.count
    }

    /// Prints a line with the number of deleted objects and earlier states for each class that has
    /// any.
    private func printStatistics(
        _ positions: [Int], _ remnants: Remnants, _ verified: VerifiedOutput
    ) throws(RealmError) -> Int {
        var report = Report(
            names: [
                "class", "remnants", "deleted", "changed", "orphan", "whole", "partial",
                "doubtful",
            ], isNumber: [false, true, true, true, true, true, true, true])
        report.tableHeadings = report.names
        var total = 0
        for position in positions {
            var states: [Remnant.State: Int] = [:]
            var certainties: [Remnant.Certainty: Int] = [:]
            var count = 0
            let matcher = try RemnantMatcher(request, remnants, position)
            try remnants.visit(position) { (remnant) throws(RealmError) in
                guard try matcher.matches(remnant) else { return true }
                states[remnant.state, default: 0] += 1
                certainties[remnant.certainty, default: 0] += 1
                count += 1
                return true
            }
            if count == 0 { continue }
            total += count
            var row: [Report.Cell] = [
                .text(remnants.classes[position].className), .number(UInt64(count)),
            ]
            for state in [Remnant.State.deleted, .changed, .orphan] {
                row.append(.number(UInt64(states[state] ?? 0)))
            }
            for certainty in [Remnant.Certainty.whole, .partial, .doubtful] {
                row.append(.number(UInt64(certainties[certainty] ?? 0)))
            }
            report.rows.append(row)
        }
        var buffer = ByteBuffer()
        report.append(request.recordStyle(request.recordForm), to: &buffer)
        try verified.flush(&buffer)
        return total
    }
}

/// Evaluates the command's predicate for deleted objects and earlier states of objects (remnants)
/// of one class.
final class RemnantMatcher {
    private let filter: QueryFilter?
    private let table: TableInfo
    private let remnants: Remnants
    private var runs: [Int: (run: QueryRun, scan: TableScan)] = [:]
    /// Result of the latest call of `matches`: the matching rows of one leaf. `view` identifies the
    /// version that contains the leaf, as an index in `Remnants.views`.
    private var last: (view: Int, leaf: UInt64, rows: Set<Int>)?

    init(
        _ request: QueryRequest, _ remnants: Remnants, _ position: Int
    ) throws(RealmError) {
        filter = request.filter
        self.remnants = remnants
        table = remnants.classes[position]
        // A mistake in the predicate is reported even if there are no remnants.
        if let filter { _ = try run(filter, 0) }
    }

    func matches(_ remnant: Remnant) throws(RealmError) -> Bool {
        guard let filter else { return true }
        if let last, last.view == remnant.view, last.leaf == remnant.leaf {
            return last.rows.contains(remnant.row)
        }
        let (run, scan) = try run(filter, remnant.view)
        var rows: [Int] = []
        // In an unreadable leaf, no row matches.
        do throws(RealmError) {
            try run.appendRows(of: remnant.slice, to: &rows, moving: scan)
        } catch {
            guard error.isDamage else { throw error }
            rows = []
        }
        let found = Set(rows)
        last = (remnant.view, remnant.leaf, found)
        return found.contains(remnant.row)
    }

    private func run(
        _ filter: QueryFilter, _ view: Int
    ) throws(RealmError) -> (run: QueryRun, scan: TableScan) {
        if let known = runs[view] { return known }
        let snapshot = remnants.views[view].snapshot()
        let plan = try filter.plan(table, snapshot, usesIndexes: false)
        if plan.isArranged {
            throw .misuse(
                "SORT, DISTINCT and LIMIT cannot be used with --remnants", code: "InvalidArgument",
                hint: "remnants are ordered by key; --limit prints the first")
        }
        let made = (QueryRun(plan, in: snapshot), snapshot.table(table).scan(columns: []))
        runs[view] = made
        return made
    }
}
