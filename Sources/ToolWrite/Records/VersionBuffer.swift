import RealmEngine
import ToolKit

/// Fills batches with whole versions of a stream, as `StreamDeduplicator` decides.
///
/// The records of a version are held back until its mark, so that an interrupted version never
/// becomes part of a transaction. A version that is too large to be held back gets its own
/// transaction, which is discarded if the version is interrupted. Confined to the thread that
/// reads.
final class VersionBuffer {
    private var gate: StreamDeduplicator
    private var bufferedRecords: RawRecords
    private let limits: WriteRequest.Limits
    /// Whether the open version is too large to hold back, so that the held records begin the next
    /// batch.
    private var startsApart = false
    /// Whether the beginning of the open version has been delivered.
    private var isPartlyDelivered = false
    /// Whether the delivered part is to be discarded.
    private var mustDiscard = false
    /// Whether the input ended inside a version.
    private var isCutOff = false
    /// Records and bytes since the last due commit.
    private var records = 0
    private var bytes = 0

    /// Maximum size in bytes of a version that is held back.
    private static let maximumBufferedBytes = 4 << 20
    private static let fullBatch = 1 << 19
    private static let maximumBufferedRecords = 4096

    init(_ gate: StreamDeduplicator, _ input: RecordInput, _ limits: WriteRequest.Limits) {
        self.gate = gate
        self.limits = limits
        bufferedRecords = RawRecords(input)
    }

    /// Fills the batch with records that may be applied; it may remain empty.
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
                    // The batch must end here, because its records belong to the transaction to be
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

    /// Handles a record by its verdict; returns whether the batch is complete.
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
