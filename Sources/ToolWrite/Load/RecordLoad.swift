import Glibc
import RealmEngine
import ToolKit

/// Writes the records of one input, batch by batch. Confined to its thread.
///
/// A record is checked before it touches anything. What still goes wrong while it is written, or
/// when links are settled before a commit, rolls the batch back: `--on-error stop` ends there,
/// `skip` writes the batch again without the record.
final class RecordLoad {
    let request: WriteRequest
    let className: String
    let session: WriteSession
    let input: RecordInput
    let header: [String]
    var stage: RecordStage
    let report: LoadReport
    /// Including the open batch.
    var counts = LoadCounts()
    /// As of the last commit.
    var written = LoadCounts()
    /// As of the last commit that is durable.
    var settled = LoadCounts()
    var batch: Batch?
    /// The records of the open batch, with `--on-error skip`.
    let kept: OpenRecords
    /// What ended the run at `--max-errors`.
    var last: RecordError?
    var progress: ProgressReporter
    /// Where batches of records come from.
    private(set) var feed: RecordFeed
    /// A transaction that is open already, for the first batch.
    var prepared: WriteTransaction?
    /// How transactions get their turn and become durable.
    let step: any CommitStep
    var queue = Queue()
    /// With `--resume`.
    let resumption: Resumption?
    /// How far the stream was applied by what was committed last.
    var reached: StreamPosition?
    /// What ends the run at once, with the record as written; and a signal that does.
    private var refusal: (RecordError, [UInt8])?
    private var signal: Int32?

    /// The open transaction and what it holds.
    final class Batch {
        var writer: ObjectWriter
        let deadline: UInt64?
        /// The transaction has changes of the schema already.
        let isPrepared: Bool
        /// When records were written last.
        var lastRecord = MonotonicClock.nanoseconds()
        /// With how many records targets of links were looked for last, and with how many it is worth
        /// to look again.
        var lastLook = -1
        var nextLook = 0
        /// Of a stream: where the last whole version in it ends, and that one is open.
        var reached: StreamPosition?
        var isInPart = false
        var resync: Resync?

        init(_ writer: ObjectWriter, deadline: UInt64?, isPrepared: Bool) {
            self.writer = writer
            self.deadline = deadline
            self.isPrepared = isPrepared
        }

        /// The open version is complete, or forgotten.
        func endVersion() {
            isInPart = false
            resync = nil
        }
    }

    /// - Parameters:
    ///   - schema: the classes as the first batch finds them.
    ///   - prepared: an open transaction that becomes the first batch.
    ///   - step: how transactions become durable; nil for one after the other.
    init(
        _ request: WriteRequest, className: String, _ session: WriteSession, _ schema: Schema,
        _ input: RecordInput, _ report: LoadReport, prepared: WriteTransaction? = nil,
        step: (any CommitStep)? = nil
    ) throws(RealmError) {
        self.request = request
        self.className = className
        self.session = session
        self.input = input
        self.report = report
        header = try Self.header(input)
        stage = try RecordStage(
            try ClassPlans(schema, request), className: className,
            header: header, request)
        kept = OpenRecords(input)
        progress = ProgressReporter(
            request.command, file: request.path, total: input.size, unit: .bytes)
        self.prepared = prepared
        let step = step ?? DirectCommits(session, request)
        self.step = step
        resumption =
            request.resumes ? try Resumption(request, version: session.database.version) : nil
        feed = RecordFeed(
            input, try Self.conversions(schema, request, className, header), request,
            request.mode == .apply
                ? resumption.map { StreamDeduplicator(resuming: $0.position) }
                    ?? StreamDeduplicator() : nil,
            wake: step.wake)
    }

    /// For each thread that may convert records.
    static func conversions(
        _ schema: Schema, _ request: WriteRequest, _ className: String, _ header: [String]
    ) throws(RealmError) -> [RecordFeed.Conversion] {
        var conversions: [RecordFeed.Conversion] = []
        guard request.convertsAhead(className) else { return [] }
        for _ in 0..<max(1, RecordFeed.threads(request)) {
            let plans = try ClassPlans(schema, request)
            conversions.append(
                RecordFeed.Conversion(
                    stage: try RecordStage(plans, className: className, header: header, request),
                    table: try plans.table(named: className)))
        }
        return conversions
    }

    private static func header(_ input: RecordInput) throws(RealmError) -> [String] {
        switch try input.readHeader() {
        case nil: return []
        case .record(let names): return names
        case .rejected(let error): throw error.realmError(file: input.name)
        case .end:
            throw RealmError(
                .data, code: RecordError.Code.invalidTable.rawValue, reason: "record",
                "the header is missing: the input is empty", file: input.name)
        }
    }

    /// Writes everything and returns the exit code.
    func run() throws(RealmError) -> ExitCode {
        do throws(RealmError) {
            try skip()
            if request.command.workers > 1 { feed.start() }
            defer { feed.stop() }
            try load()
            if let last { throw stopping(last) }
        } catch {
            throw finish(after: error)
        }
        try sumUp()
        return settled.rejected > 0 ? .data : .ok
    }

    private func skip() throws(RealmError) {
        while input.recordNumber < request.skipped {
            try checkInterruption()
            if case .end = try input.skip() { break }
        }
        counts.records = input.recordNumber
        written.records = counts.records
        settled.records = counts.records
    }

    /// Keeps the memory of the open transaction within its limit.
    func saveMemory(_ writer: ObjectWriter) throws(RealmError) {
        try writer.settleEarly()
        try writer.saveMemory()
    }

    // MARK: Ending

    func refuse(_ error: RecordError, _ record: ByteView?) throws(RealmError) {
        guard request.skipsErrors else { try refuseFinally(error, record) }
        counts.rejected += 1
        report.refuse(error, record)
        if counts.rejected >= request.mostErrors, last == nil { last = error }
    }

    func refuse(_ error: RecordError, _ record: [UInt8]) throws(RealmError) {
        let result = record.withUnsafeBytes { raw in
            Result { () throws(RealmError) in
                try refuse(error, raw.baseAddress.map { ByteView($0, count: raw.count) })
            }
        }
        try result.get()
    }

    /// Ends the run; earlier commits stay.
    func refuseFinally(
        _ error: RecordError, _ record: ByteView?
    ) throws(RealmError) -> Never {
        refusal = (error, record?.bytes ?? [])
        throw stopping(error)
    }

    private func stopping(_ error: RecordError) -> RealmError {
        RealmError(
            .data, code: error.code.rawValue, reason: "record", error.message, file: input.name,
            hint: report.resumption(settled))
    }

    /// The open batch is forgotten, commits before it become durable; then the run says how far it
    /// came. Answers what to throw; does not return after a signal.
    private func finish(after error: RealmError) -> RealmError {
        var error = error
        abandon()
        step.drain(self)
        try? resumption?.settle()
        if let signal {
            report.interrupted(settled)
            Interruption.raise(signal)
        }
        if let (refused, record) = refusal {
            settled.rejected += 1
            record.withUnsafeBytes { raw in
                let view = raw.baseAddress.map { ByteView($0, count: raw.count) }
                report.refuse(refused, record.isEmpty ? nil : view)
            }
            do throws(RealmError) { try report.writeRejects() } catch let other { error = other }
            if error.kind == .data { error = stopping(refused) }
        }
        // What went wrong first is what people are told.
        try? sumUp()
        return error
    }

    private func sumUp() throws(RealmError) {
        progress.finish()
        try report.finish(
            settled, version: session.database.version, syncs: step.traffic.syncs)
    }

    func abandon() {
        step.abandon(batch?.writer.transaction)
        prepared?.rollback()
        batch = nil
        prepared = nil
    }

    /// Throws when a signal wants the run to end.
    func checkInterruption() throws(RealmError) {
        guard let number = Interruption.signal else { return }
        signal = number
        throw RealmError.misuse("interrupted", code: "Interrupted")
    }
}
