import RealmEngine
import RealmRecords
import ToolKit

/// Fills batches with the records of a stream, so that only whole versions are applied.
/// `StreamDeduplicator` decides which records are applied.
///
/// The records of a version stay in `bufferedRecords` until the mark at the end of the version, so
/// that no transaction contains an interrupted version. A version that is too large for the buffer
/// gets a transaction of its own. If the version is interrupted, that transaction is discarded.
/// Confined to the thread that reads.
final class VersionBuffer {
    private var gate: StreamDeduplicator
    private var bufferedRecords: RawRecords
    private let limits: WriteRequest.Limits
    /// Whether the version that is being read is too large for `bufferedRecords`. The next batch
    /// then begins with the buffered records.
    private var startsApart = false
    /// Whether earlier batches contain the beginning of the version that is being read, because the
    /// version is too large for `bufferedRecords`.
    private var isPartlyDelivered = false
    /// Whether the load must discard records in earlier batches, because their version was
    /// interrupted.
    private var mustDiscard = false
    /// Whether the input ended before the `commit` mark of a version.
    private var isCutOff = false
    /// Number of records since the last record at which a commit was due. `bytes` is their size.
    private var records = 0
    private var bytes = 0

    /// Maximum size in bytes of `bufferedRecords`.
    private static let maximumBufferedBytes = 4 << 20
    private static let fullBatch = 1 << 19
    private static let maximumBufferedRecords = 4096

    init(_ gate: StreamDeduplicator, _ input: RecordInput, _ limits: WriteRequest.Limits) {
        self.gate = gate
        self.limits = limits
        bufferedRecords = RawRecords(input)
    }

    /// Reads records from the input, and appends the applicable ones to the batch. The batch may
    /// remain empty.
    func fill(_ batch: RecordBatch, _ input: RecordInput) throws(RealmError) {
        begin(batch, input)
        var mayWait = batch.count == 0
        while true {
            if !mayWait, !input.isReady(within: 0) { return }
            mayWait = false
            switch try next(input) {
            case .end: return end(batch, input)
            case .rejected(let error):
                batch.ending = .rejected(error, input.recordBytes.bytes)
                return
            case .record((let verdict, let forgets)):
                let wasApart = isPartlyDelivered
                if forgets { discard(input) }
                if forgets && wasApart {
                    // The batch must end here: its records belong to the transaction that is
                    // discarded.
                    if verdict == .hold || verdict == .release { hold(input) }
                    return
                }
                if take(verdict, batch, input) { return }
            }
        }
    }

    private func next(
        _ input: RecordInput
    ) throws(RealmError) -> RecordEvent<(StreamDeduplicator.Verdict, Bool)> {
        try input.next(
            json: { (reader, value) throws(RecordError) in
                do throws(ValueMismatch) { return try gate.take(value) } catch {
                    throw reader.error(error)
                }
            },
            table: { (_, _) throws(RecordError) in
                preconditionFailure("change records are JSON")
            })
    }

    private func begin(_ batch: RecordBatch, _ input: RecordInput) {
        batch.discardsPart = mustDiscard
        mustDiscard = false
        if startsApart {
            batch.part = .beginning
            batch.append(bufferedRecords)
            bufferedRecords = RawRecords(input)
            (startsApart, isPartlyDelivered) = (false, true)
        } else if isPartlyDelivered {
            batch.part = .middle
        }
    }

    private func end(_ batch: RecordBatch, _ input: RecordInput) {
        isCutOff = isCutOff || gate.isInside
        if isPartlyDelivered { return discard(input) }
        batch.ending = .end
        batch.isCutOff = isCutOff
    }

    private func discard(_ input: RecordInput) {
        bufferedRecords = RawRecords(input)
        if isPartlyDelivered { mustDiscard = true }
        (startsApart, isPartlyDelivered) = (false, false)
    }

    private func hold(_ input: RecordInput) { bufferedRecords.add(input.recordBytes, input.place) }

    /// Skips a record, buffers it, or appends it to the batch, as `verdict` says. Returns whether
    /// the batch is complete.
    private func take(
        _ verdict: StreamDeduplicator.Verdict, _ batch: RecordBatch, _ input: RecordInput
    ) -> Bool {
        switch verdict {
        case .skip: return false
        case .hold where !isPartlyDelivered:
            hold(input)
            startsApart = bufferedRecords.byteCount > Self.maximumBufferedBytes
            return startsApart
        case .hold:
            batch.append(input)
            return isFull(batch)
        case .apply:
            let before = batch.textSize
            batch.append(input)
            tally(batch, 1, batch.textSize - before)
            return isFull(batch)
        case .release:
            release(batch, input)
            return batch.part != .none || isFull(batch)
        }
    }

    private func release(_ batch: RecordBatch, _ input: RecordInput) {
        let (records, bytes) = (batch.count, batch.textSize)
        batch.append(bufferedRecords)
        bufferedRecords = RawRecords(input)
        batch.append(input)
        if isPartlyDelivered {
            (isPartlyDelivered, batch.part, batch.isCommitDue) = (false, .end, true)
            (self.records, self.bytes) = (0, 0)
        } else {
            tally(batch, batch.count - records, batch.textSize - bytes)
        }
    }

    private func isFull(_ batch: RecordBatch) -> Bool {
        batch.textSize >= Self.fullBatch || batch.count >= Self.maximumBufferedRecords
    }

    private func tally(_ batch: RecordBatch, _ records: Int, _ bytes: Int) {
        self.records += records
        self.bytes += bytes
        guard self.records >= limits.records || self.bytes >= limits.bytes else { return }
        batch.commitPositions.append(batch.count)
        (self.records, self.bytes) = (0, 0)
    }
}
