import RealmEngine

/// Prints the objects of some tables as records. The output does not depend on the number of
/// workers.
package struct Export {
    package let database: Database
    private(set) var plans: [RecordPlan]
    let values: ValueStyle
    package var records: RecordStyle
    /// Range of records to print, counted across all tables.
    package private(set) var window: RecordWindow
    package var threads = 1
    /// Memory limit in bytes for records that are rendered in the order of the table and printed in
    /// another order. Records beyond the limit are stored in a temporary file in `directory`.
    package var spool = (memory: 64 << 20, directory: "/tmp")
    /// The objects to print. Can be the result of a query only if a single class is exported.
    package private(set) var choice = ObjectChoice.all
    /// Creates a progress reporter for a total number of objects; nil for no progress.
    package var progress: ((_ total: Int) -> ProgressReporter)?

    package init(
        database: Database, plans: [RecordPlan], values: ValueStyle, records: RecordStyle,
        window: RecordWindow = .all, threads: Int = 1,
        progress: ((_ total: Int) -> ProgressReporter)? = nil
    ) {
        self.database = database
        self.plans = plans
        self.values = values
        self.records = records
        self.window = window
        self.threads = threads
        self.progress = progress
    }

    /// Number of objects per thread below which a further thread costs more time than it saves.
    private static let objectsPerThread = 8192

    /// Writes all records to `output` and returns their number.
    package func run(_ output: VerifiedOutput) throws(RealmError) -> Int {
        let snapshot = database.snapshot()
        snapshot.beginWalk()
        let positions = try wantedPositions(snapshot)
        let total = positions.reduce(0) { $0 + $1.count }
        let workers = workerCount(objects: total)
        let source = try ExportSource(
            snapshot, plans, positions, choice, keysPerBatch: keysPerBatch(workers))
        let stage = ExportStage(self, source, output, progress?(total))
        if workers == 1 {
            ExportWorker(stage, .reading(database)).work()
        } else {
            Threads.run(workers) { _ in
                ExportWorker(stage, .reading(stage.export.database)).work()
            }
        }
        return try stage.finish()
    }

    /// Number of worker threads. It is 1 if the layout of a record depends on other records, and if
    /// `--explode` is combined with `--offset` or `--limit`.
    private func workerCount(objects: Int) -> Int {
        if records.form.isLayout || elements != .all { return 1 }
        let threads = readsInFileOrder ? min(threads, spool.memory / (32 << 20)) : threads
        return max(1, min(threads, objects / Self.objectsPerThread))
    }

    /// Whether records are rendered in the order of the table, stored in a temporary file, and then
    /// printed in the order of the SORT. In a large encrypted file, reading in the order of the
    /// SORT would decrypt the same pages again for each record.
    var readsInFileOrder: Bool {
        guard case .keys = choice else { return false }
        return elements == .all && database.outgrowsPlainMemory
    }

    /// Whether records may be rendered in the order of the table and then printed in the order of
    /// the SORT. False if a record depends on earlier records, as in a text table.
    var arrangesRecords: Bool {
        guard case .keys = choice, !isExploding else { return false }
        return records.form.hasIndependentRecords
    }

    private func keysPerBatch(_ workers: Int) -> Int {
        if readsInFileOrder {
            // Each batch reads through the whole file once, so batches are large.
            let keys = max(1 << 18, spool.memory / 96)
            return keys / ExportSource.keysPerBatch * ExportSource.keysPerBatch
        }
        guard arrangesRecords, case .keys(let keys) = choice else {
            return ExportSource.keysPerBatch
        }
        // While one worker writes a batch, another renders the next. A batch that exceeds the
        // memory limit is divided.
        if workers == 1 { return max(1, keys.count) }
        return max(ExportSource.keysPerBatch, keys.count / (4 * workers))
    }

    package var isExploding: Bool { plans.contains { $0.explode != nil } }

    /// Range of objects to read, from `--offset` and `--limit`. All objects with `--explode`, which
    /// can make several records of an object.
    private var objects: RecordWindow { isExploding ? .all : window }

    /// With `--explode`, the range of records to print (`--offset`, `--limit`); otherwise all
    /// records.
    var elements: RecordWindow { isExploding ? window : .all }

    private func wantedPositions(_ snapshot: Snapshot) throws(RealmError) -> [Range<Int>] {
        var objects = objects
        return try plans.map { (plan) throws(RealmError) in
            objects.next(try snapshot.table(plan.table).count())
        }
    }

    /// Number of objects that a query must find: the end of the range to read. The query may stop
    /// there.
    package var limit: Int { objects.end }

    /// Restricts the export to the objects that a query finds, in the order of the query.
    package mutating func choose(_ plan: QueryPlan, in snapshot: Snapshot) throws(RealmError) {
        guard plan.isArranged || objects != .all else {
            choice = .matches(plan)
            return
        }
        choice = .keys(objects.of(try plan.rows(in: snapshot).keys))
        if !isExploding { window = .all }
    }

    /// Returns an export of the same objects with another plan for their class. Must be called
    /// after `choose`, which has already applied `--offset` and `--limit`.
    package func printing(_ plan: RecordPlan) -> Export {
        var other = self
        other.plans = [plan]
        other.window = .all
        return other
    }

    /// Counts the records without printing them.
    package func count() throws(RealmError) -> Int {
        let snapshot = database.snapshot()
        guard isExploding else {
            return try wantedPositions(snapshot).reduce(0) { $0 + $1.count }
        }
        snapshot.beginWalk()
        let json = JSONRenderer(snapshot, values)
        var total = 0
        let end = elements.end
        for plan in plans {
            let renderer = RecordRenderer(plan, snapshot, json, records)
            try forEachRow(renderer, snapshot) { (row) throws(RealmError) in
                try renderer.explode(row) {
                    total += 1
                    return false
                }
                return total < end
            }
        }
        return max(0, min(total, end) - elements.skip)
    }

    /// Calls `body` for each object that the export prints, with the object's row in the leaf that
    /// `renderer.scan` has open. Stops if `body` returns false.
    private func forEachRow(
        _ renderer: RecordRenderer, _ snapshot: Snapshot,
        _ body: (Int) throws(RealmError) -> Bool
    ) throws(RealmError) {
        let keys: Slice<RowKeys>
        switch choice {
        case .all:
            while try renderer.scan.next() {
                for row in 0..<renderer.scan.count where try !body(row) { return }
            }
            return
        case .matches(let plan): keys = try plan.rows(in: snapshot).keys[...]
        case .keys(let chosen): keys = chosen
        }
        for key in keys {
            guard let row = try renderer.scan.seek(key) else { continue }
            if try !body(row) { return }
        }
    }
}
