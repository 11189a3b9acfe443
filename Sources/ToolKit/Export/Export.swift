import RealmEngine

/// Prints the objects of some tables. The output is the same for any number of workers.
package struct Export {
    package let database: Database
    let plans: [RecordPlan]
    let values: ValueStyle
    var records: RecordStyle
    /// Records to skip and to print at most; they count across all tables.
    package var offset = 0
    package var limit = Int.max
    package var threads = 1
    /// What a query chose; only with a single plan.
    package var choice = ObjectChoice.all
    /// Makes what shows how many of a number of objects are done.
    package var progress: ((_ total: Int) -> ProgressReporter)?

    package init(
        database: Database, plans: [RecordPlan], values: ValueStyle, records: RecordStyle,
        offset: Int = 0, limit: Int = Int.max, threads: Int = 1,
        choice: ObjectChoice = ObjectChoice.all,
        progress: ((_ total: Int) -> ProgressReporter)? = nil
    ) {
        self.database = database
        self.plans = plans
        self.values = values
        self.records = records
        self.offset = offset
        self.limit = limit
        self.threads = threads
        self.choice = choice
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
        let stage = ExportStage(
            self, try ExportSource(snapshot, plans, positions, choice), output, progress?(total))
        let workers = workerCount(objects: total)
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
        if records.format == .table || isExploding { return 1 }
        return max(1, min(threads, objects / Self.objectsPerThread))
    }

    package var isExploding: Bool { plans.contains { $0.explode != nil } }

    /// Without exploding every object is a record, so offset and limit need no counting.
    private func wantedPositions(_ snapshot: Snapshot) throws(RealmError) -> [Range<Int>] {
        var skip = isExploding ? 0 : offset
        var take = isExploding ? Int.max : limit
        var ranges: [Range<Int>] = []
        for plan in plans {
            let count = try snapshot.table(plan.table).count()
            let start = min(skip, count)
            let end = start + min(take, count - start)
            skip -= start
            take -= end - start
            ranges.append(start..<end)
        }
        return ranges
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
        let wanted = limit.addingReportingOverflow(offset)
        let end = wanted.overflow ? Int.max : wanted.partialValue
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
        return max(0, min(total, end) - offset)
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
