import RealmEngine

/// Shared state of the workers of one export: the source of batches, and the output.
///
/// A worker takes a batch, renders it into its own buffer, waits until all earlier batches are
/// written, and then writes its own. Hence the output has the order of the batches. State is
/// accessed with the lock held, or by the worker whose turn it is; hence `@unchecked Sendable`.
final class ExportStage: @unchecked Sendable {
    let export: Export
    private let source: ExportSource
    private let output: VerifiedOutput
    private let monitor = Monitor()
    /// Number of the batch that its worker may write now, because all batches with lower numbers
    /// are written.
    private var turn = 0
    /// Error of the earliest batch that failed.
    private var failure: RealmError?
    private var failedBatch = Int.max
    private var written = 0
    private var hasWritten = false
    private var progress: ProgressReporter?
    private var objects = 0

    init(
        _ export: Export, _ source: ExportSource, _ output: VerifiedOutput,
        _ progress: ProgressReporter?
    ) {
        self.progress = progress
        self.export = export
        self.source = source
        self.output = output
    }

    /// Returns the next batch to render. Nil if there are no more batches, if a batch failed, or if
    /// enough records are printed.
    func next() -> ExportSource.Batch? {
        monitor.locked {
            // The number of records that `--explode` makes of an object is known only when these
            // records are printed.
            let isEnough = turn > 0 && written >= export.elements.take
            guard failure == nil, !isEnough else { return nil }
            do throws(RealmError) {
                return try source.next()
            } catch {
                fail(error, batch: .max - 1)
                return nil
            }
        }
    }

    /// Whether all batches before `batch` are written.
    func hasTurn(_ batch: Int) -> Bool { monitor.locked { turn == batch } }

    /// Waits until all earlier batches are written. Returns false if one of them failed.
    func waitForTurn(_ batch: Int) -> Bool {
        monitor.wait { turn == batch || failedBatch < batch }
        return monitor.locked { failedBatch >= batch }
    }

    /// Writes a part of the records of the batch. Must be called by the worker whose turn it is.
    func write(_ buffer: inout ByteBuffer) throws(RealmError) {
        if !hasWritten, buffer.count > 0 {
            export.records.form.beginOutput(&buffer, at: 0)
            hasWritten = true
        }
        try output.flush(&buffer)
    }

    /// Stores that the batch is written. The next batch may then be written.
    func complete(_ batch: ExportSource.Batch, records: Int) {
        monitor.signal {
            written += records
            if case .leaves(let leaves, _) = batch.objects {
                objects += leaves.reduce(0) { $0 + $1.count }
            }
            progress?.update(objects)
            turn += 1
        }
    }

    /// Records the failure of a batch. The batches after it are not written.
    func abandon(_ batch: ExportSource.Batch, _ error: RealmError) {
        monitor.signal { fail(error, batch: batch.number) }
    }

    private func fail(_ error: RealmError, batch: Int) {
        if batch < failedBatch { (failure, failedBatch) = (error, batch) }
    }

    /// Ends the output after all workers are done. Returns the number of records. Throws the error
    /// of the earliest batch that failed.
    func finish() throws(RealmError) -> Int {
        progress?.finish()
        if let failure { throw failure }
        var end = ByteBuffer(capacity: 64)
        export.records.form.endOutput(isEmpty: !hasWritten, to: &end)
        try output.flush(&end)
        return written
    }
}
