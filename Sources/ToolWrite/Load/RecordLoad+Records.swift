import RealmEngine
import RealmRecords
import ToolKit

/// Writes records one by one, also when a batch is written again after a record was rejected.
extension RecordLoad {
    func writeSingly(
        _ incoming: RecordBatch, _ records: Range<Int>, _ batch: Batch
    ) throws(RealmError) {
        for index in records {
            let place = incoming.records.places[index]
            counts.current.records = place.record
            let event = try incoming.record(index, stage, name: source.input.name)
            let isKept = request.skipsErrors && isToBeWritten(event)
            let bytes = incoming.records.record(index)
            if isKept { try openRecords.add(bytes, place) }
            guard let refused = try write(event, batch, place) else { continue }
            if isKept { openRecords.exclude(openRecords.count - 1) }
            try refuse(refused.error, bytes)
            if refused.hasChanged { try writeAgain(batch) }
            if ending != nil { return }
        }
    }

    /// Writes the records of the open batch again, in a new transaction. Does nothing in a dry run,
    /// whose only transaction also contains earlier batches.
    func writeAgain(_ batch: Batch) throws(RealmError) {
        if request.isDryRun { return }
        repeat {
            try step.restart(batch.writer.transaction)
            batch.writer = try beginWriter()
            batch.endVersion()
            counts.restart()
        } while try !writeOpenRecords(batch)
    }

    /// Writes the records of the batch again, from the copies in `openRecords`. Returns false if
    /// one of them was now rejected after it had changed something.
    private func writeOpenRecords(_ batch: Batch) throws(RealmError) -> Bool {
        let input = try openRecords.input(name: source.input.name)
        for index in 0..<openRecords.count {
            if index & 255 == 255 { try saveMemory(batch.writer) }
            let place = openRecords.place(index)
            let event = try stage.next(input).relocated(to: place, from: input)
            if openRecords.isExcluded(index) { continue }
            guard let refused = try write(event, batch, place) else { continue }
            openRecords.exclude(index)
            try refuse(refused.error, openRecords.record(index))
            if refused.hasChanged { return false }
        }
        return true
    }

    private func isToBeWritten(_ event: RecordEvent<ClassPlan?>) -> Bool {
        guard case .record(let plan) = event else { return false }
        return plan != nil || stage.schemaChange != nil || stage.mark != nil
    }

    /// A rejected record, and whether a part of it had been written.
    private struct Refused {
        let error: RecordError
        let hasChanged: Bool
    }

    /// Writes one record. A schema change, or a mark at the beginning or end of a stream's version,
    /// takes effect in the open transaction. Returns nil unless the record is rejected.
    private func write(
        _ event: RecordEvent<ClassPlan?>, _ batch: Batch, _ place: RecordLocation
    ) throws(RealmError) -> Refused? {
        let writer = batch.writer
        writer.place = place
        do throws(RealmError) {
            switch event {
            case .end: return nil
            case .rejected(let error): return Refused(error: error, hasChanged: false)
            case .record(let plan?):
                if plan.hasReferences { try writer.resolve(plan) }
                counts.current.add(try writer.write(plan, stage.mode))
                if let resync = batch.resync, let object = writer.object {
                    resync.saw(object, in: plan.key)
                }
            case .record(nil):
                if let change = stage.schemaChange { try make(change, batch) }
                if let mark = stage.mark { try take(mark, batch) }
            }
            return nil
        } catch {
            guard error.kind == .data else { throw error }
            return Refused(
                error: writer.refusal(error, record: place.record, place.position),
                // A schema change or a mark may have been applied in part, so the batch must be
                // written again.
                hasChanged: stage.schemaChange != nil || stage.mark != nil || writer.hasChanged)
        }
    }
}
