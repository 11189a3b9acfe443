import RealmEngine
import ToolKit

/// Streams of change records: their marks, and how far they have been applied.
extension RecordLoad {
    func take(_ mark: StreamMark, _ batch: Batch) throws(RealmError) {
        switch mark {
        case .resync(let className): batch.resync = Resync(className: className)
        case .commit(let position):
            if let resync = batch.resync { try finish(resync, batch) }
            batch.resync = nil
            batch.reached = position
        }
    }

    private func finish(_ resync: Resync, _ batch: Batch) throws(RealmError) {
        for change in resync.removals(batch.writer.plans.schema) { try edit(change, batch) }
        counts.current.deleted += try resync.sweep(batch.writer)
    }

    /// Carries out a change of the schema; where all there is comes anew, it replaces what is in its way.
    func make(_ change: SchemaChange, _ batch: Batch) throws(RealmError) {
        guard let resync = batch.resync else { return try edit(change, batch) }
        for step in resync.steps(toward: change, batch.writer.plans.schema) {
            try edit(step, batch)
        }
    }

    /// Forgets the beginning of a version that was broken off, which has a transaction of its own.
    func forgetPart(_ batch: Batch) throws(RealmError) {
        if request.isDryRun { return }
        try step.restart(batch.writer.transaction)
        batch.writer = try beginWriter()
        batch.endVersion()
        counts.restart()
    }

    /// Whether the batch of records is the beginning of a version that has its own transaction, and
    /// there is something to commit before.
    func isToBeCommitted(before incoming: RecordBatch) -> Bool {
        incoming.part == .beginning && incoming.position == 0
            && counts.current.records > counts.committed.records
            && !request.isDryRun
    }
}
