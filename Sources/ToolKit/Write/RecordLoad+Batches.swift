import RealmEngine

/// Beginning, settling and committing batches.
extension RecordLoad {
    func begin() throws(RealmError) -> Batch {
        let interval = request.limits.interval
        let deadline =
            interval == .max ? nil : MonotonicClock.nanoseconds() &+ min(interval, 1 << 62)
        let fresh = Batch(try beginWriter(), deadline: deadline)
        batch = fresh
        return fresh
    }

    private func beginWriter() throws(RealmError) -> ObjectWriter {
        if let transaction = prepared {
            prepared = nil
            prepare(transaction)
            return ObjectWriter(transaction, stage.plans, request)
        }
        let transaction = try session.begin(request.patience)
        prepare(transaction)
        do throws(RealmError) {
            let schema = transaction.initialSchema
            if schema !== stage.plans.schema, !schema.hasSameShape(as: stage.plans.schema) {
                // Another program changed it between two batches.
                stage = try makeStage(schema)
                if let feed {
                    feed.change(try makeStage(schema), try stage.plans.table(named: className))
                }
            }
        } catch {
            transaction.rollback()
            throw error
        }
        return ObjectWriter(transaction, stage.plans, request)
    }

    private func prepare(_ transaction: WriteTransaction) {
        report.begin(with: transaction)
        // Editing and writing out take about as much again.
        transaction.memoryLimit = request.mostMemory / 2
    }

    /// The clock is asked now and then only.
    func isDue(_ batch: Batch) -> Bool {
        if batch.records >= request.limits.records || batch.bytes >= request.limits.bytes {
            return true
        }
        return batch.records & 63 == 0 && isOverdue(batch)
    }

    func isOverdue(_ batch: Batch) -> Bool {
        guard let deadline = batch.deadline else { return false }
        return MonotonicClock.nanoseconds() >= deadline
    }

    /// True when there is input, or its end; otherwise waits a while, and commits when the time of
    /// the open batch is up.
    @inline(__always)
    func waitForInput() throws(RealmError) -> Bool {
        if input.isReady(within: 0) { return true }
        return try waitLonger()
    }

    private func waitLonger() throws(RealmError) -> Bool {
        guard let milliseconds = try timeLeft() else { return false }
        return input.isReady(within: milliseconds)
    }

    /// How long to wait for input; nil when the time of the open batch was up, which is committed
    /// then.
    func timeLeft() throws(RealmError) -> Int32? {
        guard let deadline = batch?.deadline else { return 200 }
        let now = MonotonicClock.nanoseconds()
        if now >= deadline {
            try commit()
            return nil
        }
        return Int32(min(200, (deadline - now) / 1_000_000 + 1))
    }

    /// Makes the open batch durable; one that changed nothing leaves no version behind.
    func commit() throws(RealmError) {
        guard let batch else { return }
        if kept.isEmpty {
            if let first = try batch.writer.settle().first { try refuseFinally(first, nil) }
        } else {
            try settleAgain(batch)
        }
        if request.isDryRun { return try rehearse() }
        let transaction = batch.writer.transaction
        self.batch = nil
        if counts.changes > settled.changes {
            let version: UInt64
            do throws(RealmError) { version = try transaction.commit() } catch {
                transaction.rollback()
                throw error
            }
            try report.committed(counts, version: version)
        } else {
            transaction.rollback()
        }
        settled = counts
        kept.removeAll()
        try report.flushRejects()
    }

    /// A rehearsal goes on in its one transaction.
    private func rehearse() throws(RealmError) {
        settled = counts
        kept.removeAll()
        batch?.records = 0
        batch?.bytes = 0
        batch?.writer.pending = PendingLinks()
        try report.flushRejects()
    }

    /// Settles what waits for other records; as long as some cannot be, the batch is written again
    /// without them.
    private func settleAgain(_ batch: Batch) throws(RealmError) {
        while true {
            let refused = try batch.writer.settle()
            if refused.isEmpty { return }
            var seen: Set<Int> = []
            for error in refused where seen.insert(error.record).inserted {
                guard let index = kept.index(ofRecord: error.record) else { continue }
                kept.exclude(index)
                try refuseKept(error, index)
            }
            if request.isDryRun { return }
            try writeAgain(batch)
        }
    }

    private func refuseKept(_ error: RecordError, _ index: Int) throws(RealmError) {
        try refuse(error, kept.record(index))
    }

    /// Writes the kept records in a new transaction. A rehearsal, whose transaction holds the
    /// earlier batches too, does without.
    func writeAgain(_ batch: Batch) throws(RealmError) {
        if request.isDryRun { return }
        repeat {
            batch.writer.transaction.rollback()
            batch.writer = try beginWriter()
            counts.restart(from: settled)
        } while try !writeKept(batch.writer)
    }

    /// False when a record was refused after it had changed something.
    private func writeKept(_ writer: ObjectWriter) throws(RealmError) -> Bool {
        let input = try kept.input(name: self.input.name)
        for index in kept.places.indices {
            guard case .record(let plan?) = try stage.next(input) else { break }
            if kept.isExcluded(index) { continue }
            writer.place = kept.places[index]
            if plan.hasReferences { try writer.resolve(plan) }
            do throws(RealmError) {
                counts.add(try writer.write(plan, stage.mode))
            } catch {
                guard error.kind == .data else { throw error }
                let refusal = writer.refusal(
                    error, record: writer.place.record, writer.place.position)
                kept.exclude(index)
                try refuseKept(refusal, index)
                if writer.hasChanged { return false }
            }
        }
        return true
    }
}

extension Schema {
    /// Whether plans made for `other` hold for this schema.
    func hasSameShape(as other: Schema) -> Bool {
        guard tables.count == other.tables.count else { return false }
        return zip(tables, other.tables).allSatisfy { a, b in
            a.key == b.key && a.name == b.name && a.kind == b.kind
                && a.primaryKey == b.primaryKey && a.columns.count == b.columns.count
                && zip(a.columns, b.columns).allSatisfy { $0.key == $1.key && $0.name == $1.name }
        }
    }
}
