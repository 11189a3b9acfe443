import RealmEngine
import ToolKit

/// Processes streams of change records: marks at the beginning and end of versions, and positions.
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

    /// Applies a schema change. During a resync, first removes parts of the existing schema that
    /// conflict with it.
    func make(_ change: SchemaChange, _ batch: Batch) throws(RealmError) {
        guard let resync = batch.resync else { return try edit(change, batch) }
        for step in resync.steps(toward: change, batch.writer.plans.schema) {
            try edit(step, batch)
        }
    }

    /// Discards the changes of the open transaction, because the stream has interrupted the version
    /// to which they belong.
    func discardPart(_ batch: Batch) throws(RealmError) {
        if request.isDryRun { return }
        try step.restart(batch.writer.transaction)
        batch.writer = try beginWriter()
        batch.endVersion()
        counts.restart()
    }

    /// Whether the records written so far must be committed before `incoming`. This is the case if
    /// `incoming` begins a large version, which gets a transaction of its own.
    func isToBeCommitted(before incoming: RecordBatch) -> Bool {
        incoming.part == .beginning && incoming.position == 0
            && counts.current.records > counts.committed.records
            && !request.isDryRun
    }
}
