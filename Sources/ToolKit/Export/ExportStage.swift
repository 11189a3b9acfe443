import RealmEngine

/// What the workers of one export share: where batches come from and where text goes, in order.
///
/// A worker takes a batch, renders it into its own buffer, waits until all batches before are
/// written and writes its own. Everything below the lock or the turn is used by one thread at a
/// time, which makes this safe to share.
final class ExportStage: @unchecked Sendable {
    let export: Export
    private let source: ExportSource
    private let output: VerifiedOutput
    private let monitor = Monitor()
    /// Number of the batch that is to be written next.
    private var turn = 0
    /// The failure of the earliest batch that had one.
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

    /// The next batch to render, nil when there is none, or no use in it.
    func next() -> ExportSource.Batch? {
        monitor.locked {
            // Exploded records are counted while they are printed.
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

    /// Whether it is the batch's turn to write.
    func hasTurn(_ batch: Int) -> Bool { monitor.locked { turn == batch } }

    /// Waits for the batch's turn; false when an earlier one failed.
    func waitForTurn(_ batch: Int) -> Bool {
        monitor.wait { turn == batch || failedBatch < batch }
        return monitor.locked { failedBatch >= batch }
    }

    /// Writes a part of the batch whose turn it is.
    func write(_ buffer: inout ByteBuffer) throws(RealmError) {
        if !hasWritten, buffer.count > 0 {
            export.records.form.beginOutput(&buffer, at: 0)
            hasWritten = true
        }
        try output.flush(&buffer)
    }

    /// The batch whose turn it is has been written.
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

    /// The batch cannot be finished: later ones are of no use.
    func abandon(_ batch: ExportSource.Batch, _ error: RealmError) {
        monitor.signal { fail(error, batch: batch.number) }
    }

    private func fail(_ error: RealmError, batch: Int) {
        if batch < failedBatch { (failure, failedBatch) = (error, batch) }
    }

    /// Ends the output after all workers are done; returns the number of records.
    func finish() throws(RealmError) -> Int {
        progress?.finish()
        if let failure { throw failure }
        var end = ByteBuffer(capacity: 64)
        export.records.form.endOutput(isEmpty: !hasWritten, to: &end)
        try output.flush(&end)
        return written
    }
}
