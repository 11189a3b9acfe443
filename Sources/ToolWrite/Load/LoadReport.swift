import Glibc
import RealmEngine
import ToolKit

/// What a run says: acknowledgements on standard output, refused records in their file, a summary
/// on standard error.
final class LoadReport {
    private let request: WriteRequest
    private let inputName: String
    private let diagnostics: Diagnostics
    private let output: OutputFile
    private let rejects: RejectFile?
    private let target: WriteTarget?
    /// What is acknowledged is in the user's file, and not in one that may never take its place.
    private var isPublished: Bool
    private let began = MonotonicClock.nanoseconds()
    /// The version the first transaction began with.
    private var firstVersion: UInt64?
    private(set) var commits = 0
    private var shown = 0
    private var acknowledgements = ByteBuffer(capacity: 256)
    /// Refusals that are told on standard error when no file takes them.
    private static let mostShown = 10

    init(
        _ request: WriteRequest, input: String, _ output: OutputFile,
        _ target: WriteTarget? = nil
    ) throws(RealmError) {
        self.request = request
        self.target = target
        isPublished = target?.isInPlace ?? true
        self.output = output
        inputName = input
        diagnostics = Diagnostics(request.command)
        rejects = try request.command[WriteOption.rejects].map { path throws(RealmError) in
            try RejectFile(path)
        }
        if !isPublished {
            target?.whenPublished { () throws(RealmError) in try self.published() }
        }
    }

    /// A transaction begins: others may have written while it waited for its turn.
    func begin(with transaction: WriteTransaction) {
        if firstVersion == nil { firstVersion = transaction.version - 1 }
    }

    /// A batch is settled: what it changed, if anything, is durable.
    func committed(_ item: Settlements.Item) throws(RealmError) {
        try rejects?.write(item.rejects)
        guard let version = item.version else { return }
        target?.keep()
        commits += 1
        guard request.acknowledges else { return }
        var members: JSONItem.Members = [
            ("commit", .count(commits)), ("version", .number(version)),
        ]
        members += item.counts.members
        if let reached = item.reached { members.append(("applied", .text(reached.text))) }
        JSONItem.object(members).appendLine(to: &acknowledgements)
        if acknowledgements.count >= 1 << 16 { try flushAcknowledgements() }
    }

    /// One batch is settled, and told at once.
    func committed(_ counts: LoadCounts, version: UInt64?) throws(RealmError) {
        try committed(
            Settlements.Item(counts: counts, version: version, rejects: takeRejects()))
        try flushAcknowledgements()
    }

    /// Writes the lines of `committed`. Throws `busy` instead when another file took the name of the
    /// one they are about since it was committed to.
    func flushAcknowledgements() throws(RealmError) {
        guard isPublished, acknowledgements.count > 0 else { return }
        if let target, target.isInPlace { try target.session.database.checkPlace() }
        try output.flush(&acknowledgements)
    }

    private func published() throws(RealmError) {
        isPublished = true
        try flushAcknowledgements()
    }

    func refuse(_ error: RecordError, _ record: ByteView?) {
        let isJSON = request.format != .csv && request.format != .tsv
        rejects?.add(error, record, isJSON: isJSON)
        guard rejects == nil, request.skipsErrors else { return }
        shown += 1
        if shown <= Self.mostShown { diagnostics.notice("\(inputName): \(error.message)") }
        if shown == Self.mostShown {
            diagnostics.notice("further refusals are not shown: --rejects FILE keeps them")
        }
    }

    /// Lines about the records refused since the last call.
    func takeRejects() -> [UInt8] { rejects?.take() ?? [] }

    /// Writes them.
    func writeRejects() throws(RealmError) { try rejects?.write(takeRejects()) }

    /// How to go on after a run that ended early.
    func resumption(_ counts: LoadCounts) -> String? {
        if request.isSingle || request.isDryRun { return nil }
        return counts.records == 0
            ? "nothing is committed"
            : "\(counts.records) records are settled: --skip-records \(counts.records) goes on "
                + "behind them"
    }

    /// The input ended inside a version.
    func leaveOut() {
        diagnostics.notice("\(inputName): the last version is not complete, and is left out")
    }

    func interrupted(_ counts: LoadCounts) {
        let advice = resumption(counts).map { "; " + $0 } ?? ""
        diagnostics.notice("interrupted\(advice)")
    }

    /// - Parameter syncs: system calls it took to make the commits durable.
    /// - Throws: `output` when standard output does not take it.
    func finish(_ counts: LoadCounts, version: UInt64, syncs: Int) throws(RealmError) {
        let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        if request.reportsJSON {
            try print(counts, version, syncs, seconds)
        } else {
            try say(counts, version, Quantity.twoDecimals(seconds))
        }
    }

    /// The summary for people; of a rehearsal it is what was asked for.
    private func say(
        _ counts: LoadCounts, _ version: UInt64, _ seconds: String
    ) throws(RealmError) {
        let text = counts.text(rejects: rejects?.path)
        if request.isDryRun {
            var buffer = ByteBuffer(capacity: 256)
            buffer.append("would write \(text); \(seconds) s\n")
            return try output.flush(&buffer)
        }
        let versions = commits > 0 ? ", version \(firstVersion ?? version) -> \(version)" : ""
        let noun = commits == 1 ? "commit" : "commits"
        diagnostics.notice("\(text); \(commits) \(noun)\(versions); \(seconds) s")
    }

    private func print(
        _ counts: LoadCounts, _ version: UInt64, _ syncs: Int, _ seconds: Double
    ) throws(RealmError) {
        var buffer = ByteBuffer(capacity: 256)
        let summary: JSONItem.Members =
            counts.members + [
                ("commits", .count(commits)), ("syncs", .count(syncs)),
                ("fromVersion", .number(firstVersion ?? version)), ("version", .number(version)),
                ("seconds", .literal(Quantity.twoDecimals(seconds))),
            ]
        JSONReport.object("realm-write", [("summary", .object(summary))]).appendLine(to: &buffer)
        try output.flush(&buffer)
    }
}
