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
        if export.records.format == .json, !hasWritten, buffer.count > 0 {
            // Every record begins with a separator; the first has nothing to be separated from.
            buffer.replaceFirst(2, with: "[")
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
        if export.records.format == .json { end.append(hasWritten ? "]\n" : "[]\n") }
        try output.flush(&end)
        return written
    }
}

extension ByteBuffer {
    /// Puts `text`, which is no longer, in place of the first `count` bytes.
    fileprivate mutating func replaceFirst(_ count: Int, with text: StaticString) {
        var rest = ByteBuffer(capacity: self.count)
        rest.append(text)
        rest.append(UnsafeRawBufferPointer(rebasing: bytes[count...]))
        removeAll()
        append(rest.bytes)
    }
}
