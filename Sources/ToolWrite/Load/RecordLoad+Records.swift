import RealmEngine
import ToolKit

/// Writing record by record: those of a batch, or once more those of the open transaction.
extension RecordLoad {
    func writeSingly(
        _ incoming: RecordBatch, _ records: Range<Int>, _ batch: Batch
    ) throws(RealmError) {
        for index in records {
            let place = incoming.records.places[index]
            counts.records = place.record
            let event = try incoming.record(index, stage, name: input.name)
            let isKept = request.skipsErrors && isToBeWritten(event)
            let bytes = incoming.records.record(index)
            if isKept { try kept.add(bytes, place) }
            guard let refused = try write(event, batch, place) else { continue }
            if isKept { kept.exclude(kept.count - 1) }
            try refuse(refused.error, bytes)
            if refused.hasChanged { try writeAgain(batch) }
            if last != nil { return }
        }
    }

    /// Writes the kept records in a new transaction. A rehearsal, whose transaction holds the
    /// earlier batches too, does without.
    func writeAgain(_ batch: Batch) throws(RealmError) {
        if request.isDryRun { return }
        repeat {
            try step.restart(batch.writer.transaction)
            batch.writer = try beginWriter()
            batch.endVersion()
            counts.restart(from: written)
        } while try !writeKept(batch)
    }

    /// False when a record was refused after it had changed something.
    private func writeKept(_ batch: Batch) throws(RealmError) -> Bool {
        let input = try kept.input(name: self.input.name)
        for index in 0..<kept.count {
            if index & 255 == 255 { try saveMemory(batch.writer) }
            let place = kept.place(index)
            let event = try stage.next(input).relocated(to: place, from: input)
            if kept.isExcluded(index) { continue }
            guard let refused = try write(event, batch, place) else { continue }
            kept.exclude(index)
            try refuse(refused.error, kept.record(index))
            if refused.hasChanged { return false }
        }
        return true
    }

    private func isToBeWritten(_ event: RecordEvent<ClassPlan?>) -> Bool {
        guard case .record(let plan) = event else { return false }
        return plan != nil || stage.schemaChange != nil || stage.mark != nil
    }

    /// Why a record is refused, and whether part of it has been written by then.
    private struct Refused {
        let error: RecordError
        let hasChanged: Bool
    }

    /// Writes one record; what it does to the schema becomes part of the batch.
    private func write(
        _ event: RecordEvent<ClassPlan?>, _ batch: Batch, _ place: RecordPlace
    ) throws(RealmError) -> Refused? {
        let writer = batch.writer
        writer.place = place
        do throws(RealmError) {
            switch event {
            case .end: return nil
            case .rejected(let error): return Refused(error: error, hasChanged: false)
            case .record(let plan?):
                if plan.hasReferences { try writer.resolve(plan) }
                counts.add(try writer.write(plan, stage.mode))
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
                // What a change of the schema began is not left half done.
                hasChanged: stage.schemaChange != nil || stage.mark != nil || writer.hasChanged)
        }
    }
}
