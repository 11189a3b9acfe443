import Glibc
import RealmEngine
import RealmRecords
import ToolKit

/// Writes the records of one input in batches, each in a transaction. Confined to its thread.
///
/// Each record is checked before it changes anything. If a record fails later, when it is written
/// or when pending links are stored before the commit, the batch is rolled back. With `--on-error
/// stop` the load then ends. With `skip` the batch is written again without the record.
final class RecordLoad {
    let request: WriteRequest
    let session: WriteSession
    let source: RecordSource
    /// Reads records, possibly on other threads.
    private(set) var feed: RecordFeed
    /// Batches of records that have been read but not yet written.
    var queue = Queue()
    var stage: RecordStage
    /// Strategy for beginning and committing transactions.
    let step: any CommitStep
    var open: Open
    /// Copies of the records of the open batch, with `--on-error skip`; otherwise empty.
    let openRecords: OpenRecords
    var counts = Counts()
    var stream: Stream
    /// Reason why the load ends early; nil if it continues. The open batch may still be committed.
    private(set) var ending: Ending?
    let report: LoadReport
    var progress: ProgressReporter

    /// - Parameters:
    ///   - schema: schema at the beginning of the first batch.
    ///   - prepared: an open transaction that becomes the first batch; nil for none.
    ///   - step: commit strategy; nil for one durable transaction after the other.
    init(
        _ request: WriteRequest, className: String, _ session: WriteSession, _ schema: Schema,
        _ input: RecordInput, _ report: LoadReport, prepared: WriteTransaction? = nil,
        step: (any CommitStep)? = nil
    ) throws(RealmError) {
        self.request = request
        self.session = session
        self.report = report
        source = try RecordSource(input, className: className)
        source.printReadingNotices(request)
        stage = try source.stage(try ClassPlans(schema, request), request)
        openRecords = OpenRecords(input)
        progress = ProgressReporter(
            request.command, file: request.path, total: input.size, unit: .bytes)
        open = prepared.map(Open.prepared) ?? .nothing
        let step = step ?? DirectCommits(session, request)
        self.step = step
        let stream = try Stream(request, version: session.database.version)
        self.stream = stream
        feed = RecordFeed(
            input, try source.conversions(schema, request), request,
            request.mode == .apply ? stream.deduplicator : nil, wake: step.wake)
    }

    /// Writes all records and returns the exit code.
    func run() throws(RealmError) -> ExitCode {
        do throws(RealmError) {
            try skip()
            if request.command.workers > 1 { feed.start() }
            defer { feed.stop() }
            try load()
            if case .tooManyErrors(let last) = ending { throw stopping(last) }
        } catch {
            throw finish(after: error)
        }
        try printSummary()
        return counts.durable.rejected > 0 ? .data : .ok
    }

    private func skip() throws(RealmError) {
        while source.input.recordNumber < request.skipped {
            try checkInterruption()
            if case .end = try source.input.skip() { break }
        }
        counts.skip(source.input.recordNumber)
    }

    /// Limits the memory of the open transaction. Stores pending links whose targets exist by now,
    /// and writes changes to the file if they exceed the transaction's memory limit.
    func saveMemory(_ writer: ObjectWriter) throws(RealmError) {
        try writer.storeFoundIfWorthwhile()
        try writer.saveMemory()
    }

    // MARK: Ending

    func refuse(_ error: RecordError, _ record: ByteView?) throws(RealmError) {
        guard request.skipsErrors else { try refuseFinally(error, record) }
        counts.current.rejected += 1
        report.refuse(error, record)
        if counts.current.rejected >= request.errorLimit, ending == nil {
            ending = .tooManyErrors(last: error)
        }
    }

    func refuse(_ error: RecordError, _ record: [UInt8]) throws(RealmError) {
        let result = record.withUnsafeBytes { raw in
            Result { () throws(RealmError) in
                try refuse(error, raw.baseAddress.map { ByteView($0, count: raw.count) })
            }
        }
        try result.get()
    }

    /// Ends the load, because `record` is rejected. Earlier commits remain in the database.
    func refuseFinally(
        _ error: RecordError, _ record: ByteView?
    ) throws(RealmError) -> Never {
        ending = .refused(error, record?.bytes ?? [])
        throw stopping(error)
    }

    private func stopping(_ error: RecordError) -> RealmError {
        RealmError(
            .data, code: error.code.rawValue, reason: "record", error.message,
            file: source.input.name, hint: report.resumption(counts.durable))
    }

    /// Cleans up after an error: discards the open batch, waits until earlier commits are durable,
    /// and reports the progress. Returns the error to throw. Does not return after a signal, but
    /// ends the process.
    private func finish(after error: RealmError) -> RealmError {
        var error = error
        abandon()
        step.drain(self)
        try? stream.resumption?.settle()
        switch ending {
        case .interrupted(let signal):
            report.interrupted(counts.durable)
            Interruption.raise(signal)
        case .refused(let refused, let record):
            counts.durable.rejected += 1
            record.withUnsafeBytes { raw in
                let view = raw.baseAddress.map { ByteView($0, count: raw.count) }
                report.refuse(refused, record.isEmpty ? nil : view)
            }
            do throws(RealmError) { try report.writeRejects() } catch let other { error = other }
            if error.kind == .data { error = stopping(refused) }
        case .tooManyErrors, nil: break
        }
        // An error of the report is ignored, since the first error is thrown.
        try? printSummary()
        return error
    }

    private func printSummary() throws(RealmError) {
        progress.finish()
        try report.finish(
            counts.durable, version: session.database.version, syncs: step.writeStatistics.syncs)
    }

    func abandon() {
        step.abandon(batch?.writer.transaction)
        if case .prepared(let transaction) = open { transaction.rollback() }
        open = .nothing
    }

    /// Throws an error if a signal requested the end of the load.
    func checkInterruption() throws(RealmError) {
        guard let number = Interruption.signal else { return }
        ending = .interrupted(signal: number)
        throw RealmError.misuse("interrupted", code: "Interrupted")
    }
}
