import RealmEngine

/// Prints the objects of some tables. The output is the same for any number of workers.
package struct Export {
    package let database: Database
    private(set) var plans: [RecordPlan]
    let values: ValueStyle
    package var records: RecordStyle
    /// Records to print; they count across all tables.
    package private(set) var window: RecordWindow
    package var threads = 1
    /// Bytes of memory for records that are rendered in another order than they are printed in, and
    /// where the rest of them goes.
    package var spool = (memory: 64 << 20, directory: "/tmp")
    /// What a query chose; only with a single plan.
    package private(set) var choice = ObjectChoice.all
    /// Makes what shows how many of a number of objects are done.
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

    /// Objects below which a second thread costs more than it brings.
    private static let objectsPerThread = 8192

    /// Prints to `output` and returns the number of records.
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

    /// Only records that need no others before them can be made by several workers.
    private func workerCount(objects: Int) -> Int {
        if records.form is any LayoutForm.Type || elements != .all { return 1 }
        let threads = readsInFileOrder ? min(threads, spool.memory / (32 << 20)) : threads
        return max(1, min(threads, objects / Self.objectsPerThread))
    }

    /// Whether records are rendered in the order of the table first and then printed in the order of the
    /// keys: in the order of a SORT, each record of a large encrypted file would need pages decrypted
    /// again.
    var readsInFileOrder: Bool {
        guard case .keys = choice else { return false }
        return elements == .all && database.outgrowsPlainMemory
    }

    /// Whether records of objects in the order of a SORT may be rendered in another order.
    var arrangesRecords: Bool {
        guard case .keys = choice, !isExploding else { return false }
        return records.form.hasIndependentRecords
    }

    private func keysPerBatch(_ workers: Int) -> Int {
        if readsInFileOrder {
            // Each batch reads through the file once.
            let keys = max(1 << 18, spool.memory / 96)
            return keys / ExportSource.keysPerBatch * ExportSource.keysPerBatch
        }
        guard arrangesRecords, case .keys(let keys) = choice else {
            return ExportSource.keysPerBatch
        }
        // A worker renders a batch while another one writes. It divides what its memory is too small for.
        if workers == 1 { return max(1, keys.count) }
        return max(ExportSource.keysPerBatch, keys.count / (4 * workers))
    }

    package var isExploding: Bool { plans.contains { $0.explode != nil } }

    /// Which objects are looked at: without exploding every one is a record.
    private var objects: RecordWindow { isExploding ? .all : window }

    /// Which records are printed of those that are made of these objects.
    var elements: RecordWindow { isExploding ? window : .all }

    private func wantedPositions(_ snapshot: Snapshot) throws(RealmError) -> [Range<Int>] {
        var objects = objects
        return try plans.map { (plan) throws(RealmError) in
            objects.next(try snapshot.table(plan.table).count())
        }
    }

    /// Number of objects after which a query need find no more.
    package var limit: Int { objects.end }

    /// Prints the objects that a query finds, in its order.
    package mutating func choose(_ plan: QueryPlan, in snapshot: Snapshot) throws(RealmError) {
        guard plan.isArranged || objects != .all else {
            choice = .matches(plan)
            return
        }
        choice = .keys(objects.of(try plan.rows(in: snapshot).keys))
        if !isExploding { window = .all }
    }

    /// All of the same objects, by other plans for their class. What a window leaves out must have
    /// been left out by choice.
    package func printing(_ plan: RecordPlan) -> Export {
        var other = self
        other.plans = [plan]
        other.window = .all
        return other
    }

    /// The number of records, without printing them.
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

    /// Visits the chosen objects, each a row of the renderer's present leaf, until `body` says no.
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
