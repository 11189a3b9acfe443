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
    private var held: KeptRecords
    private let limits: WriteRequest.Limits
    /// Whether the open version is too large to hold back, so that the held records begin the next
    /// batch.
    private var startsApart = false
    /// Whether the beginning of the open version has been delivered.
    private var isApart = false
    /// Whether the delivered part is to be discarded.
    private var mustForget = false
    /// Whether the input ended inside a version.
    private var isCutOff = false
    /// Records and bytes since the last due commit.
    private var records = 0
    private var bytes = 0

    /// Maximum size in bytes of a version that is held back.
    private static let mostHeld = 4 << 20
    private static let fullBatch = 1 << 19
    private static let mostRecords = 4096

    init(_ gate: StreamDeduplicator, _ input: RecordInput, _ limits: WriteRequest.Limits) {
        self.gate = gate
        self.limits = limits
        held = KeptRecords(input)
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
                let wasApart = isApart
                if forgets { forget(input) }
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
        batch.forgetsPart = mustForget
        mustForget = false
        if startsApart {
            batch.part = .beginning
            batch.append(held)
            held = KeptRecords(input)
            (startsApart, isApart) = (false, true)
        } else if isApart {
            batch.part = .middle
        }
    }

    private func end(_ batch: RecordBatch, _ input: RecordInput) {
        isCutOff = isCutOff || gate.isInside
        if isApart { return forget(input) }
        batch.ending = .end
        batch.isCutOff = isCutOff
    }

    private func forget(_ input: RecordInput) {
        held = KeptRecords(input)
        if isApart { mustForget = true }
        (startsApart, isApart) = (false, false)
    }

    private func hold(_ input: RecordInput) { held.add(input.recordBytes, input.place) }

    /// Handles a record by its verdict; returns whether the batch is complete.
    private func take(
        _ verdict: StreamDeduplicator.Verdict, _ batch: RecordBatch, _ input: RecordInput
    ) -> Bool {
        switch verdict {
        case .passOver: return false
        case .hold where !isApart:
            hold(input)
            startsApart = held.byteCount > Self.mostHeld
            return startsApart
        case .hold:
            batch.append(input)
            return isFull(batch)
        case .carryOut:
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
        batch.append(held)
        held = KeptRecords(input)
        batch.append(input)
        if isApart {
            (isApart, batch.part, batch.isDue) = (false, .end, true)
            (self.records, self.bytes) = (0, 0)
        } else {
            tally(batch, batch.count - records, batch.textSize - bytes)
        }
    }

    private func isFull(_ batch: RecordBatch) -> Bool {
        batch.textSize >= Self.fullBatch || batch.count >= Self.mostRecords
    }

    private func tally(_ batch: RecordBatch, _ records: Int, _ bytes: Int) {
        self.records += records
        self.bytes += bytes
        guard self.records >= limits.records || self.bytes >= limits.bytes else { return }
        batch.dues.append(batch.count)
        (self.records, self.bytes) = (0, 0)
    }
}
