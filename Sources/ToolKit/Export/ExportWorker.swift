import RealmEngine

/// Renders batches of records until no batches are left. Confined to one thread, with its own
/// instance of the database.
final class ExportWorker {
    /// Size of the buffer in bytes above which a worker stops rendering, and waits until it may
    /// write.
    private static let waitThreshold = 1 << 20

    private let stage: ExportStage
    private let export: Export
    private let instance: Instance
    private let snapshot: Snapshot
    private let json: JSONRenderer
    private var renderers: [Int: RecordRenderer] = [:]
    private var run: QueryRun?
    private var matches: [Int] = []
    private var batchRecords = 0
    private var hasTurn = false
    private let readsInFileOrder: Bool
    /// With `--explode`, number of records that `--offset` still skips. `toPrint` is the number of
    /// records that `--limit` still permits.
    private var toSkip: Int
    private var toPrint: Int

    init(_ stage: ExportStage, _ instance: Instance) {
        self.stage = stage
        export = stage.export
        readsInFileOrder = stage.export.readsInFileOrder
        self.instance = instance
        snapshot = instance.snapshot()
        json = JSONRenderer(snapshot, export.values)
        toSkip = export.elements.skip
        toPrint = export.elements.take
    }

    func work() {
        snapshot.beginWalk()
        var buffer = ByteBuffer(capacity: OutputFile.flushThreshold * 2)
        while let batch = stage.next() {
            do throws(RealmError) {
                guard try render(batch, &buffer) else { return }
                if batch.isLast || toPrint == 0 { try finish(batch, &buffer) }
                stage.complete(batch, records: batchRecords)
            } catch {
                stage.abandon(batch, error)
                return
            }
        }
    }

    /// Ends the output of a class, after its last object or after the last record that `--limit`
    /// permits.
    private func finish(
        _ batch: ExportSource.Batch, _ buffer: inout ByteBuffer
    ) throws(RealmError) {
        renderer(batch.plan).finish(to: &buffer)
        renderers[batch.plan] = nil
        _ = try flush(batch, &buffer)
    }

    /// Renders and writes one batch. Returns false if an earlier batch failed.
    private func render(
        _ batch: ExportSource.Batch, _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        batchRecords = 0
        hasTurn = stage.hasTurn(batch.number)
        let renderer = renderer(batch.plan)
        if batch.isFirst { renderer.begin(isFirst: batch.number == 0, to: &buffer) }
        let isRendered =
            switch batch.objects {
            case .leaves(let leaves, let positions):
                try render(leaves, positions, renderer, batch, &buffer)
            case .matches(let parts): try render(parts, renderer, batch, &buffer)
            case .keys(let keys): try render(keys, renderer, batch, &buffer)
            }
        guard isRendered else { return false }
        renderer.endBatch(to: &buffer)
        return try flush(batch, &buffer)
    }

    @_optimize(speed)
    private func render(
        _ leaves: [LeafSlice], _ positions: Range<Int>, _ renderer: RecordRenderer,
        _ batch: ExportSource.Batch, _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        for leaf in leaves {
            try renderer.scan.open(leaf)
            let first = max(0, positions.lowerBound - leaf.position)
            let rows = first..<min(leaf.count, positions.upperBound - leaf.position)
            guard try renderAny(rows, renderer, batch, &buffer) else { return false }
        }
        return true
    }

    @_optimize(speed)
    private func render(
        _ parts: ArraySlice<LeafSlice>, _ renderer: RecordRenderer, _ batch: ExportSource.Batch,
        _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        for part in parts {
            matches.removeAll(keepingCapacity: true)
            try queryRun().appendRows(of: part, to: &matches, moving: renderer.scan)
            if matches.isEmpty { continue }
            guard try renderAny(matches, renderer, batch, &buffer) else { return false }
        }
        return true
    }

    @_optimize(speed)
    private func render(
        _ keys: Slice<RowKeys>, _ renderer: RecordRenderer, _ batch: ExportSource.Batch,
        _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        if readsInFileOrder { return try renderInFileOrder(keys, renderer, batch, &buffer) }
        if export.arrangesRecords, keys.count >= ArrangedRecords.minimumObjects {
            return try renderArranged(keys, renderer, batch, &buffer)
        }
        for key in keys {
            guard let row = try renderer.scan.seek(key) else { continue }
            guard try renderAny(CollectionOfOne(row), renderer, batch, &buffer) else {
                return false
            }
        }
        return true
    }

    /// Renders the objects in the order of the table, part by part, and writes the records in the
    /// order of `keys`.
    private func renderArranged(
        _ keys: Slice<RowKeys>, _ renderer: RecordRenderer, _ batch: ExportSource.Batch,
        _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        let memory = export.spool.memory / (2 * export.threads)
        let count = try ArrangedRecords.append(
            keys, renderer, memory: memory, to: &buffer, until: OutputFile.flushThreshold
        ) { (buffer) throws(RealmError) in try writeIfTurn(batch, &buffer) }
        batchRecords += count ?? 0
        return count != nil
    }

    /// Renders the objects of the whole batch in the order of the table, and writes the records in
    /// the order of `keys`.
    private func renderInFileOrder(
        _ keys: Slice<RowKeys>, _ renderer: RecordRenderer, _ batch: ExportSource.Batch,
        _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        let spool = RecordSpool(
            memory: export.spool.memory / 8, directory: export.spool.directory,
            isConfidential: true)
        let order = TableOrder(keys)
        var rendered: [SpooledRecords] = []
        rendered.reserveCapacity(order.count)
        var record = ByteBuffer()
        try order.visit { (key) throws(RealmError) in
            guard let row = try renderer.scan.seek(key) else {
                return rendered.append(SpooledRecords())
            }
            rendered.append(try spooled(row, renderer, spool, &record))
        }
        var position = 0
        return try order.visitPositions { (place) throws(RealmError) in
            // An SQL statement ends after the same number of records as in batches that are read in
            // the order of the keys. Hence the output does not depend on the order of rendering.
            if position % ExportSource.keysPerBatch == 0 { renderer.endBatch(to: &buffer) }
            position += 1
            let records = rendered[place]
            var offset = records.offset
            for _ in 0..<records.count {
                record.removeAll()
                offset = try spool.copy(offset, to: &record)
                renderer.print(record.bytes, to: &buffer)
                batchRecords += 1
                if buffer.count >= OutputFile.flushThreshold {
                    guard try writeIfTurn(batch, &buffer) else { return false }
                }
            }
            return true
        }
    }

    /// Offset and number of the records of one object in a temporary file; 0 records for a missing
    /// object.
    private struct SpooledRecords {
        var offset = 0
        var count = 0
    }

    /// Renders the records of the object in `row` into a temporary file: one record, or with
    /// `--explode` one for each element of a collection.
    private func spooled(
        _ row: Int, _ renderer: RecordRenderer, _ spool: RecordSpool, _ record: inout ByteBuffer
    ) throws(RealmError) -> SpooledRecords {
        var result = SpooledRecords()
        func add() throws(RealmError) {
            record.removeAll()
            try renderer.spool(row, to: &record)
            let offset = try spool.append(record.bytes)
            if result.count == 0 { result.offset = offset }
            result.count += 1
        }
        if export.isExploding {
            try renderer.explode(row) { () throws(RealmError) in
                try add()
                return false
            }
        } else {
            try add()
        }
        return result
    }

    /// Renders the objects in rows of the leaf that the scan has open. Each object becomes one
    /// record, or with `--explode` one record for each element of a collection.
    @_optimize(speed)
    private func renderAny(
        _ rows: some Collection<Int>, _ renderer: RecordRenderer, _ batch: ExportSource.Batch,
        _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        export.isExploding
            ? try explode(rows, renderer, batch, &buffer)
            : try render(rows, renderer, batch, &buffer)
    }

    /// Returns this worker's execution of the query, which is created at the first call.
    private func queryRun() -> QueryRun {
        if let run { return run }
        guard case .matches(let plan) = export.choice else {
            preconditionFailure("only a query makes units")
        }
        let fresh = QueryRun(plan, in: snapshot)
        run = fresh
        return fresh
    }

    @_optimize(speed)
    private func render(
        _ rows: some Collection<Int>, _ renderer: RecordRenderer, _ batch: ExportSource.Batch,
        _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        for row in rows {
            try renderer.append(row, to: &buffer)
            if buffer.count >= OutputFile.flushThreshold {
                guard try writeIfTurn(batch, &buffer) else { return false }
            }
        }
        batchRecords += rows.count
        return true
    }

    @inline(never)
    private func explode(
        _ rows: some Collection<Int>, _ renderer: RecordRenderer, _ batch: ExportSource.Batch,
        _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        for row in rows where toPrint > 0 {
            try renderer.explode(row) { () throws(RealmError) in
                if toSkip > 0 {
                    toSkip -= 1
                    return false
                }
                try renderer.append(row, to: &buffer)
                batchRecords += 1
                toPrint -= 1
                if buffer.count >= OutputFile.flushThreshold { _ = try writeIfTurn(batch, &buffer) }
                return toPrint == 0
            }
        }
        return true
    }

    /// Writes the buffer if all earlier batches are written. Otherwise lets the buffer grow up to
    /// `waitThreshold`, and then waits for the earlier batches. Returns false if an earlier batch
    /// failed.
    private func writeIfTurn(
        _ batch: ExportSource.Batch, _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        if !hasTurn {
            hasTurn = stage.hasTurn(batch.number)
            if !hasTurn, buffer.count < Self.waitThreshold { return true }
        }
        return try flush(batch, &buffer)
    }

    private func flush(
        _ batch: ExportSource.Batch, _ buffer: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        if !hasTurn {
            guard stage.waitForTurn(batch.number) else { return false }
            hasTurn = true
        }
        if buffer.count > 0 { try stage.write(&buffer) }
        return true
    }

    private func renderer(_ plan: Int) -> RecordRenderer {
        if let known = renderers[plan] { return known }
        let fresh = RecordRenderer(export.plans[plan], snapshot, json, export.records)
        renderers[plan] = fresh
        return fresh
    }
}
