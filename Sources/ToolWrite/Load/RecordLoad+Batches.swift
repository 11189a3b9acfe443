import RealmEngine
import RealmRecords
import ToolKit

/// Begins and commits batches. A batch is the records of one transaction.
extension RecordLoad {
    /// Begins a transaction for records of which the first was read at `time`.
    func begin(_ time: UInt64) throws(RealmError) -> Batch {
        let isPrepared = if case .prepared = open { true } else { false }
        // A dry run has a single batch, which is never committed because of a deadline.
        let due = request.isDryRun ? nil : deadline(time)
        let fresh = Batch(try beginWriter(), deadline: due, isPrepared: isPrepared)
        open = .batch(fresh)
        return fresh
    }

    /// Returns the time at which a record that was read at `time` must be committed; nil if there
    /// is no deadline.
    func deadline(_ time: UInt64) -> UInt64? {
        let interval = request.limits.interval
        return interval == .max ? nil : time &+ min(interval, 1 << 62)
    }

    func beginWriter() throws(RealmError) -> ObjectWriter {
        if case .prepared(let transaction) = open {
            open = .nothing
            report.begin(with: transaction)
            return ObjectWriter(transaction, stage.plans, request.rules)
        }
        let transaction = try step.begin()
        report.begin(with: transaction)
        do throws(RealmError) {
            let schema = transaction.initialSchema
            if schema !== stage.plans.schema, !schema.hasSameShape(as: stage.plans.schema) {
                // Another process has changed the schema since the previous batch.
                stage = try source.stage(try ClassPlans(schema, request), request)
                feed.change(try source.conversions(schema, request))
            }
        } catch {
            step.abandon(transaction)
            throw error
        }
        return ObjectWriter(transaction, stage.plans, request.rules)
    }

    /// Returns the milliseconds to wait if a commit is due at `deadline`: 0 if the deadline has
    /// passed, otherwise at most 200.
    func remainingMilliseconds(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return 200 }
        let now = MonotonicClock.nanoseconds()
        return now >= deadline ? 0 : Int32(min(200, (deadline - now) / 1_000_000 + 1))
    }

    /// Returns the milliseconds to wait for input. If the deadline of the open batch has passed,
    /// commits the batch and returns nil.
    func timeLeft() throws(RealmError) -> Int32? {
        let milliseconds = remainingMilliseconds(until: batch?.deadline)
        if milliseconds > 0 { return milliseconds }
        if let batch, try waitsForLinks(batch, isIdle: true) { return Self.linkPause }
        try commit()
        return nil
    }

    /// Commits the open batch. A batch without changes does not create a version.
    func commit() throws(RealmError) {
        guard let batch else { return }
        if openRecords.count == 0 {
            if let first = try batch.writer.storeAll().first { try refuseFinally(first, nil) }
        } else {
            try storeLinksRetrying(batch)
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

    /// Continues a dry run. All of its batches are in one transaction, which is never committed.
    private func rehearse() throws(RealmError) {
        counts.commit()
        counts.durable = counts.current
        openRecords.removeAll()
        batch?.writer.discardPending()
        try report.writeRejects()
    }

    /// Stores the pending links: property values with links to objects that did not exist yet. If a
    /// target is still missing, rejects the record with the link, and writes the batch again
    /// without the record.
    private func storeLinksRetrying(_ batch: Batch) throws(RealmError) {
        while true {
            let refused = try batch.writer.storeAll()
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
    /// Whether records that were converted for the schema `other` can be written with this schema:
    /// both have the same tables and columns, in the same order.
    func hasSameShape(as other: Schema) -> Bool {
        guard tables.count == other.tables.count else { return false }
        // Tables that no commit has changed are the same objects in both schemas.
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
