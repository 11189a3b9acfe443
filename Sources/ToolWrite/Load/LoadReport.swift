import Glibc
import RealmEngine
import RealmRecords
import ToolKit

/// Output of a load: acknowledgements on standard output, rejected records in the file of
/// `--rejects`, and a summary on standard error.
final class LoadReport {
    private let request: WriteRequest
    private let inputName: String
    private let diagnostics: Diagnostics
    private let output: OutputFile
    private let rejects: RejectFile?
    private let target: WriteTarget?
    /// Whether acknowledgements may be printed: commits are made in the user's own file, or the
    /// temporary file of the load has replaced that file.
    private var isPublished: Bool
    private let began = MonotonicClock.nanoseconds()
    /// Version before the first transaction; nil before the first transaction begins.
    private var firstVersion: UInt64?
    private(set) var commits = 0
    private var reportedCount = 0
    private var acknowledgements = ByteBuffer(capacity: 256)
    /// Maximum number of rejected records reported on standard error if there is no file for them.
    private static let maximumReportedRecords = 10

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

    /// Records the version at which the first transaction begins. It may be newer than at the start
    /// of the load, because other processes may have committed.
    func begin(with transaction: WriteTransaction) {
        if firstVersion == nil { firstVersion = transaction.version - 1 }
    }

    /// Reports a transaction: one whose commit is durable, or one without changes.
    func committed(_ item: PendingCommits.Item) throws(RealmError) {
        try rejects?.write(item.rejects)
        guard let version = item.version else { return }
        target?.markKept()
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

    /// Reports a transaction whose commit is durable, and prints its acknowledgement.
    func committed(_ counts: LoadCounts, version: UInt64?) throws(RealmError) {
        try committed(
            PendingCommits.Item(counts: counts, version: version, rejects: takeRejects()))
        try flushAcknowledgements()
    }

    /// Prints the acknowledgements that `committed` has collected. Throws `busy` instead if the
    /// path now refers to another file than the one that was written.
    func flushAcknowledgements() throws(RealmError) {
        guard isPublished, acknowledgements.count > 0 else { return }
        if let target, target.isInPlace { try target.session.database.checkPath() }
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
        reportedCount += 1
        if reportedCount <= Self.maximumReportedRecords {
            diagnostics.notice("\(inputName): \(error.message)")
        }
        if reportedCount == Self.maximumReportedRecords {
            diagnostics.notice(
                "further refused records are not shown; --rejects FILE stores all of them")
        }
    }

    /// Returns the lines about records that were rejected since the last call.
    func takeRejects() -> [UInt8] { rejects?.take() ?? [] }

    /// Writes the lines about records that were rejected since the last call to the file of
    /// rejected records.
    func writeRejects() throws(RealmError) { try rejects?.write(takeRejects()) }

    /// Advice how to continue a load that ended early; nil if it cannot be continued.
    func resumption(_ counts: LoadCounts) -> String? {
        if request.isSingle || request.isDryRun { return nil }
        return counts.records == 0
            ? "nothing is committed"
            : "\(counts.records) records are settled: --skip-records \(counts.records) resumes "
                + "after them"
    }

    /// Reports that the input ended before the version of a stream was complete.
    func reportIncompleteVersion() {
        diagnostics.notice(
            "\(inputName): the last version of the stream is not complete, and was not applied")
    }

    func interrupted(_ counts: LoadCounts) {
        let advice = resumption(counts).map { "; " + $0 } ?? ""
        diagnostics.notice("interrupted\(advice)")
    }

    /// Prints the summary.
    ///
    /// - Parameter syncs: number of sync system calls that made the commits durable.
    /// - Throws: `output` if standard output cannot be written.
    func finish(_ counts: LoadCounts, version: UInt64, syncs: Int) throws(RealmError) {
        let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        if request.reportsJSON {
            try print(counts, version, syncs, seconds)
        } else {
            try say(counts, version, Quantity.twoDecimals(seconds))
        }
    }

    /// Prints the summary as text: to standard output for a dry run, otherwise to standard error.
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
