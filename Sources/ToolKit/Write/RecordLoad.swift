import Glibc
import RealmEngine

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
    var settled = LoadCounts()
    var batch: Batch?
    /// The records of the open batch, with `--on-error skip`.
    var kept: KeptRecords
    /// What ended the run at `--max-errors`.
    var last: RecordError?
    var progress: ProgressReporter
    /// Where batches of records come from.
    var feed: RecordFeed?
    /// A transaction that is open already, for the first batch.
    var prepared: WriteTransaction?

    /// The open transaction and what it holds.
    final class Batch {
        var writer: ObjectWriter
        let deadline: UInt64?
        var records = 0
        var bytes = 0

        init(_ writer: ObjectWriter, deadline: UInt64?) {
            self.writer = writer
            self.deadline = deadline
        }
    }

    /// - Parameters:
    ///   - schema: the classes as the first batch finds them.
    ///   - prepared: an open transaction that becomes the first batch.
    init(
        _ request: WriteRequest, className: String, _ session: WriteSession, _ schema: Schema,
        _ input: RecordInput, _ report: LoadReport, prepared: WriteTransaction? = nil
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
        kept = KeptRecords(input)
        progress = ProgressReporter(
            request.command, file: request.path, total: input.size, unit: .bytes)
        self.prepared = prepared
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
            if request.comesInBatches(className) {
                try loadBatches()
            } else {
                while last == nil, try step() {}
            }
            try commit()
            if let last { throw stopping(last) }
        } catch {
            abandon()
            progress.finish()
            report.finish(settled, version: session.database.version)
            throw error
        }
        progress.finish()
        report.finish(settled, version: session.database.version)
        return settled.rejected > 0 ? .data : .ok
    }

    private func skip() throws(RealmError) {
        while input.recordNumber < request.skipped {
            if Interruption.signal != nil { interrupt() }
            if try !input.skip() { break }
        }
        counts.records = input.recordNumber
        settled.records = counts.records
    }

    /// Reads and writes one record; false at the end.
    private func step() throws(RealmError) -> Bool {
        if Interruption.signal != nil { interrupt() }
        guard try waitForInput() else { return true }
        let batch: Batch
        if let open = self.batch { batch = open } else { batch = try begin() }
        switch try stage.next(input) {
        case .end: return false
        case .rejected(let error):
            counts.records = input.recordNumber
            try refuse(error, input.recordBytes)
        case .record(let plan):
            counts.records = input.recordNumber
            if let plan { try write(plan, batch, input.recordBytes, nil) }
        }
        batch.records &+= 1
        batch.bytes &+= input.recordBytes.count &+ 1
        if counts.records & 255 == 0 {
            progress.update(input.bytesRead)
            try saveMemory(batch.writer)
        }
        if isDue(batch) { try commit() }
        return true
    }

    /// Keeps the memory of the open transaction within its limit.
    func saveMemory(_ writer: ObjectWriter) throws(RealmError) {
        try writer.settleEarly()
        if writer.transaction.isSpillDue { try writer.transaction.spill() }
    }

    /// Writes one record.
    ///
    /// - Parameter known: where it stands; nil for the current one of the input.
    func write(
        _ plan: ClassPlan, _ batch: Batch, _ record: ByteView, _ known: RecordPlace?
    ) throws(RealmError) {
        let writer = batch.writer
        if plan.hasReferences { try writer.resolve(plan) }
        // Only links that wait for their target, and kept records, need the place.
        if !plan.structures.isEmpty || request.skipsErrors { writer.place = known ?? input.place }
        if request.skipsErrors { kept.add(record, writer.place) }
        do throws(RealmError) {
            counts.add(try writer.write(plan, stage.mode))
        } catch {
            guard error.kind == .data else { throw error }
            let position = known?.position ?? input.position
            let refusal = writer.refusal(error, record: counts.records, position)
            if request.skipsErrors { kept.exclude(kept.places.count - 1) }
            try refuse(refusal, record)
            if writer.hasChanged { try writeAgain(batch) }
        }
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
        settled.rejected += 1
        report.refuse(error, record)
        abandon()
        try report.flushRejects()
        throw stopping(error)
    }

    private func stopping(_ error: RecordError) -> RealmError {
        RealmError(
            .data, code: error.code.rawValue, reason: "record", error.message, file: input.name,
            hint: report.resumption(settled))
    }

    func abandon() {
        batch?.writer.transaction.rollback()
        prepared?.rollback()
        batch = nil
        prepared = nil
    }

    /// The open batch is rolled back, the number to resume with printed, the process ended.
    func interrupt() {
        guard let signal = Interruption.signal else { return }
        abandon()
        report.interrupted(settled)
        Interruption.raise(signal)
    }
}
