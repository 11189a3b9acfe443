import RealmEngine

/// Writing records that come in batches.
///
/// A batch whose records are all new objects is written in one go; whatever is out of the ordinary
/// has its records read again from the batch and written one by one.
extension RecordLoad {
    /// Reads and writes all records.
    func loadBatches() throws(RealmError) {
        let table = try stage.plans.table(named: className)
        let stage = try makeStage(self.stage.plans.schema)
        let feed = RecordFeed(
            input, stage, table, request, isThreaded: request.command.workers > 1)
        self.feed = feed
        let isRunning = feed.start()
        defer {
            feed.stop()
            self.feed = nil
        }
        while last == nil {
            if Interruption.signal != nil { interrupt() }
            guard let incoming = try next(feed, isRunning) else { continue }
            let batch: Batch
            if let open = self.batch { batch = open } else { batch = try begin() }
            if try !write(incoming, batch) { return }
        }
    }

    func makeStage(_ schema: Schema) throws(RealmError) -> RecordStage {
        try RecordStage(
            try ClassPlans(schema, request), className: className, header: header, request)
    }

    /// Waits for records, and commits when the time of the open batch is up.
    private func next(_ feed: RecordFeed, _ isRunning: Bool) throws(RealmError) -> RecordBatch? {
        if let ready = feed.next(within: 0, isRunning: isRunning) { return ready }
        guard let milliseconds = try timeLeft() else { return nil }
        return feed.next(within: milliseconds, isRunning: isRunning)
    }

    /// False at the end of the input.
    private func write(_ incoming: RecordBatch, _ batch: Batch) throws(RealmError) -> Bool {
        if incoming.count > 0 { try writeRecords(incoming, batch) }
        switch incoming.ending {
        case .more: break
        case .end: return false
        case .failed(let error): throw error
        case .rejected(let error, let bytes):
            counts.records = error.record
            try refuse(error, bytes)
        }
        progress.update(incoming.bytesRead)
        guard let open = self.batch else { return true }
        try saveMemory(open.writer)
        open.records &+= incoming.count
        if incoming.isDue || isOverdue(open) { try commit() }
        return true
    }

    private func writeRecords(
        _ incoming: RecordBatch, _ batch: Batch
    ) throws(RealmError) {
        if try !writeAtOnce(incoming, batch) { try writeSingly(incoming, batch) }
        if last == nil { counts.records = incoming.records.places[incoming.count - 1].record }
    }

    // MARK: At once

    /// Creates all objects of the batch; false, with nothing changed, where that is not all there is
    /// to do.
    private func writeAtOnce(
        _ incoming: RecordBatch, _ batch: Batch
    ) throws(RealmError) -> Bool {
        let (writer, transaction) = (batch.writer, batch.writer.transaction)
        guard incoming.isPlain, incoming.plans.schema === stage.plans.schema else { return false }
        // A link to a later record stays null, or makes the object, if links do not wait.
        let linksWait = request.links == .strict
        guard linksWait || incoming.structures.isEmpty else { return false }
        let missing = try transaction.resolveLinks(incoming.rows)
        guard linksWait || missing.isEmpty, let rest = try storeCollections(incoming, writer),
            try transaction.create(incoming.rows)
        else { return false }
        counts.inserted &+= incoming.count
        let firstKept = kept.places.count
        if request.skipsErrors { kept.add(incoming.records) }
        for link in missing { try wait(for: link, incoming, writer) }
        for structure in rest {
            let place = incoming.records.places[structure.row]
            writer.place = place
            do throws(RealmError) {
                try writer.storeOrWait(
                    incoming.rows.table, incoming.rows.key(structure.row), structure.column,
                    structure.value)
            } catch {
                guard error.kind == .data else { throw error }
                if request.skipsErrors { kept.exclude(firstKept + structure.row) }
                try refuse(
                    writer.refusal(error, record: place.record, place.position),
                    incoming.records.record(structure.row))
                // With all other records of the batch.
                try writeAgain(batch)
                return true
            }
        }
        return true
    }

    /// Collections that can be made before their objects are; answers what is left for later, nil if
    /// some value does not fit.
    private func storeCollections(
        _ incoming: RecordBatch, _ writer: ObjectWriter
    ) throws(RealmError) -> [RecordBatch.Structure]? {
        var rest: [RecordBatch.Structure] = []
        let (rows, columns, transaction) = (
            incoming.rows, incoming.rows.table.columns, writer.transaction
        )
        for structure in incoming.structures {
            let column = columns[structure.column]
            guard case .list(let elements) = structure.value,
                column.collection != nil, column.index == .none,
                !writer.isEmbedded(column), try writer.isResolved(structure.value)
            else {
                rest.append(structure)
                continue
            }
            do throws(RealmError) {
                try transaction.setElements(
                    rows, structure.row, structure.column,
                    try writer.elements(elements, keepsNull: column.isNullable))
            } catch {
                guard error.kind == .data else { throw error }
                return nil
            }
        }
        return rest
    }

    /// The target of a link may still come.
    private func wait(
        for link: WriteTransaction.MissingTarget, _ incoming: RecordBatch, _ writer: ObjectWriter
    ) throws(RealmError) {
        let table = incoming.rows.table
        let reference = ObjectReference(
            table: table.columns[link.column].target,
            name: .primaryKey(incoming.rows.reference(link.column, link.row)))
        try writer.pending.add(
            ObjectLink(table: table.key, key: incoming.rows.key(link.row)), column: link.column,
            .reference(reference), incoming.records.places[link.row])
    }

    // MARK: One by one

    private func writeSingly(
        _ incoming: RecordBatch, _ batch: Batch
    ) throws(RealmError) {
        let again = try incoming.records.input(name: input.name)
        for place in incoming.records.places {
            counts.records = place.record
            switch try stage.next(again) {
            case .end: return
            case .rejected(let error):
                try refuse(
                    error.relocated(record: place.record, line: place.line), again.recordBytes)
            case .record(let plan?): try write(plan, batch, again.recordBytes, place)
            case .record(nil): break
            }
            if last != nil { return }
        }
    }
}
