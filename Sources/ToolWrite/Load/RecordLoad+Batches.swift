import RealmEngine
import ToolKit

/// Beginning, settling and committing batches.
extension RecordLoad {
    /// Opens a batch for records of which the first came at `time`.
    func begin(_ time: UInt64) throws(RealmError) -> Batch {
        let isPrepared = if case .prepared = open { true } else { false }
        // A rehearsal is one batch that nothing is ever due for.
        let due = request.isDryRun ? nil : deadline(time)
        let fresh = Batch(try beginWriter(), deadline: due, isPrepared: isPrepared)
        open = .batch(fresh)
        return fresh
    }

    /// When a record that came at `time` is to be committed.
    func deadline(_ time: UInt64) -> UInt64? {
        let interval = request.limits.interval
        return interval == .max ? nil : time &+ min(interval, 1 << 62)
    }

    func beginWriter() throws(RealmError) -> ObjectWriter {
        if case .prepared(let transaction) = open {
            open = .nothing
            report.begin(with: transaction)
            return ObjectWriter(transaction, stage.plans, request)
        }
        let transaction = try step.begin()
        report.begin(with: transaction)
        do throws(RealmError) {
            let schema = transaction.initialSchema
            if schema !== stage.plans.schema, !schema.hasSameShape(as: stage.plans.schema) {
                // Another program changed it between two batches.
                stage = try source.stage(try ClassPlans(schema, request), request)
                feed.change(try source.conversions(schema, request))
            }
        } catch {
            step.abandon(transaction)
            throw error
        }
        return ObjectWriter(transaction, stage.plans, request)
    }

    /// How long to wait, in milliseconds, when something is due at `deadline`: 0 when it is by now,
    /// and never long.
    func patience(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return 200 }
        let now = MonotonicClock.nanoseconds()
        return now >= deadline ? 0 : Int32(min(200, (deadline - now) / 1_000_000 + 1))
    }

    /// How long to wait for input; nil when the time of the open batch was up, which is committed
    /// then.
    func timeLeft() throws(RealmError) -> Int32? {
        let milliseconds = patience(until: batch?.deadline)
        if milliseconds > 0 { return milliseconds }
        if let batch, try waitsForLinks(batch, isIdle: true) { return Self.linkPause }
        try commit()
        return nil
    }

    /// Commits the open batch; one that changed nothing leaves no version behind.
    func commit() throws(RealmError) {
        guard let batch else { return }
        if openRecords.count == 0 {
            if let first = try batch.writer.settle().first { try refuseFinally(first, nil) }
        } else {
            try settleAgain(batch)
        }
        if request.isDryRun { return try rehearse() }
        open = .nothing
        let transaction = batch.writer.transaction
        let hasChanged = counts.hasChanges || batch.isPrepared
        stream.reached = batch.reached
        let version = transaction.version
        if hasChanged, let reached = batch.reached {
            try stream.resumption?.announce(reached, version: version)
        }
        try step.commit(transaction, hasChanged: hasChanged, self)
        if let reached = batch.reached {
            stream.resumption?.confirm(reached, version: hasChanged ? version : version - 1)
        }
        counts.commit()
        openRecords.removeAll()
    }

    /// A rehearsal goes on in its one transaction.
    private func rehearse() throws(RealmError) {
        counts.commit()
        counts.durable = counts.current
        openRecords.removeAll()
        batch?.writer.pending = PendingLinks()
        try report.writeRejects()
    }

    /// Settles what waits for other records; as long as some cannot be, the batch is written again
    /// without them.
    private func settleAgain(_ batch: Batch) throws(RealmError) {
        while true {
            let refused = try batch.writer.settle()
            if refused.isEmpty { return }
            var seen: Set<Int> = []
            for error in refused where seen.insert(error.record).inserted {
                guard let index = openRecords.index(ofRecord: error.record) else { continue }
                openRecords.exclude(index)
                try refuse(error, openRecords.record(index))
            }
            if request.isDryRun { return }
            try writeAgain(batch)
        }
    }
}

extension Schema {
    /// Whether plans made for `other` hold for this schema.
    func hasSameShape(as other: Schema) -> Bool {
        guard tables.count == other.tables.count else { return false }
        // Classes that no commit changed are the same objects in both.
        return zip(tables, other.tables).allSatisfy { a, b in
            a === b
                || a.key == b.key && a.name == b.name && a.kind == b.kind
                    && a.primaryKey == b.primaryKey && a.columns.count == b.columns.count
                    && zip(a.columns, b.columns).allSatisfy {
                        $0.key == $1.key && $0.name == $1.name
                    }
        }
    }
}
