import RealmEngine
import ToolKit

/// Streams of change records: their marks and their position.
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

    /// Applies a schema change. During a resync, conflicting parts of the existing schema are
    /// removed first.
    func make(_ change: SchemaChange, _ batch: Batch) throws(RealmError) {
        guard let resync = batch.resync else { return try edit(change, batch) }
        for step in resync.steps(toward: change, batch.writer.plans.schema) {
            try edit(step, batch)
        }
    }

    /// Discards the beginning of an interrupted version, which has its own transaction.
    func discardPart(_ batch: Batch) throws(RealmError) {
        if request.isDryRun { return }
        try step.restart(batch.writer.transaction)
        batch.writer = try beginWriter()
        batch.endVersion()
        counts.restart()
    }

    /// Whether `incoming` begins a version with its own transaction, and earlier records must be
    /// committed first.
    func isToBeCommitted(before incoming: RecordBatch) -> Bool {
        incoming.part == .beginning && incoming.position == 0
            && counts.current.records > counts.committed.records
            && !request.isDryRun
    }
}
