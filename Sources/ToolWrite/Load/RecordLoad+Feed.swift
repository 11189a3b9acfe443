import RealmEngine
import RealmRecords
import ToolKit

/// Writes batches of records that `RecordFeed` has read.
///
/// If a batch only creates objects, all of them are created by one call. Otherwise its records are
/// written one by one.
extension RecordLoad {
    /// Writes the records of `incoming` up to the position at which a commit is due, and commits.
    /// Writes all records if no commit is due within `incoming`. Returns false at the end of the
    /// input.
    ///
    /// - Parameters:
    ///   - incoming: records that `RecordFeed` has read.
    ///   - batch: the open transaction.
    ///   - hasMore: whether further records have already been read.
    func write(
        _ incoming: RecordBatch, _ batch: Batch, hasMore: Bool
    ) throws(RealmError) -> Bool {
        if incoming.discardsPart { try discardPart(batch) }
        incoming.discardsPart = false
        if isToBeCommitted(before: incoming) {
            try commit()
            return true
        }
        let (records, isCommitDue) = incoming.take()
        if !records.isEmpty { try writeRecords(incoming, records, batch) }
        if incoming.isUsedUp, ending == nil, try !end(incoming) { return false }
        batch.isInPart = incoming.part == .beginning || incoming.part == .middle
        try saveMemory(batch.writer)
        batch.lastRecord = MonotonicClock.nanoseconds()
        if isCommitDue || (!hasMore && remainingMilliseconds(until: batch.deadline) == 0) {
            if try !waitsForLinks(batch, isIdle: false) { try commit() }
        }
        return true
    }

    /// Processes the end of a batch: a rejected record, an error, or the end of the input. Returns
    /// false at the end of the input.
    private func end(_ incoming: RecordBatch) throws(RealmError) -> Bool {
        progress.update(incoming.bytesRead)
        switch incoming.ending {
        case .more: break
        case .end:
            if incoming.isCutOff { report.reportIncompleteVersion() }
            return false
        case .failed(let error): throw error
        case .rejected(let error, let bytes):
            counts.current.records = error.record
            try refuse(error, bytes)
        }
        return true
    }

    private func writeRecords(
        _ incoming: RecordBatch, _ records: Range<Int>, _ batch: Batch
    ) throws(RealmError) {
        if try !writeAtOnce(incoming, batch) { try writeSingly(incoming, records, batch) }
        if ending == nil {
            counts.current.records = incoming.records.places[records.upperBound - 1].record
        }
    }

    // MARK: Immediate writes

    /// Creates all objects of the batch by one call. Returns false, without having changed any
    /// object, if the records must be written one by one.
    private func writeAtOnce(
        _ incoming: RecordBatch, _ batch: Batch
    ) throws(RealmError) -> Bool {
        let writer = batch.writer
        guard let converted = incoming.converted,
            converted.plans.schema === stage.plans.schema,
            let rest = try writer.create(converted, incoming.records.places)
        else { return false }
        counts.current.inserted &+= incoming.count
        let firstOpen = openRecords.count
        if request.skipsErrors { try incoming.records.add(to: openRecords) }
        for structure in rest {
            let place = incoming.records.places[structure.row]
            do throws(RealmError) {
                try writer.store(structure, of: converted, place)
            } catch {
                guard error.kind == .data else { throw error }
                if request.skipsErrors { openRecords.exclude(firstOpen + structure.row) }
                try refuse(
                    writer.refusal(error, record: place.record, place.position),
                    incoming.records.record(structure.row))
                // The batch is written again as a whole, including its other records.
                try writeAgain(batch)
                return true
            }
        }
        return true
    }
}
