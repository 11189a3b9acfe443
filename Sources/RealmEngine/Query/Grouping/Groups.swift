/// A key or aggregate by which groups are sorted.
package struct GroupOrder: Sendable {
    package enum Subject: Sendable {
        /// Sorts by the grouping key with this index in the list of keys.
        case key(Int)
        /// Sorts by the result of the aggregate with this index in the list of aggregates.
        case aggregate(Int)
    }

    let subject: Subject
    let isAscending: Bool

    package init(_ subject: Subject, isAscending: Bool) {
        self.subject = subject
        self.isAscending = isAscending
    }
}

extension QueryPlan {
    /// Visits groups of the query's results, one per combination of key values, until `body`
    /// returns false. The keys are the paths of the query's last SORT, which also gives the order
    /// of the groups unless `order` is given. Groups beyond the memory limit of the plan's options
    /// are written to a temporary file.
    ///
    /// - Returns: the number of objects in all groups.
    /// - Throws: `corrupt`, and `output` if the temporary file cannot be written.
    @discardableResult
    package func forEachGroup(
        _ aggregates: [AggregateExpression], order: [GroupOrder] = [], in snapshot: Snapshot,
        _ body: (_ keys: [Value], _ results: [Value]) throws(RealmError) -> Bool
    ) throws(RealmError) -> Int {
        guard case .sort(let keys)? = query.descriptors.last else {
            throw .misuse("groups need a SORT by their keys")
        }
        return try GroupVisit(self, keys: keys, aggregates, .widens, in: snapshot)
            .forEachGroup(order: order, body)
    }
}

/// Grouping of a plan's results. Without keys, all objects form one group.
struct GroupVisit {
    private let plan: QueryPlan
    private let snapshot: Snapshot
    private let keys: [BoundSortKey]
    private let aggregates: [AggregateExpression]
    private let overflow: IntegerOverflow
    private let memory: QueryMemoryLimit

    init(
        _ plan: QueryPlan, keys: [BoundSortKey], _ aggregates: [AggregateExpression],
        _ overflow: IntegerOverflow, in snapshot: Snapshot
    ) {
        self.plan = plan
        self.snapshot = snapshot
        self.keys = keys
        self.aggregates = aggregates
        self.overflow = overflow
        memory = QueryMemoryLimit(plan.options, snapshot)
    }

    /// Visits the groups until `body` returns false. Returns the number of objects in all groups,
    /// visited or not.
    func forEachGroup(
        order: [GroupOrder],
        _ body: (_ keys: [Value], _ results: [Value]) throws(RealmError) -> Bool
    ) throws(RealmError) -> Int {
        let table = plan.query.table
        let maximumReads =
            (plan.query.descriptors.map(\.maximumReads).max() ?? 1)
            + GroupTable.orderedColumns(aggregates).count
        let evaluator = QueryEvaluator(snapshot, maximumReads: maximumReads)
        let groups = try GroupTable(keys, aggregates, table, evaluator, memory)
        let runs = SpilledTable(groups, memory)
        var count = 0
        try forEachRow(evaluator, reading: groups.columns) { (leaf, rows) throws(RealmError) in
            count &+= rows.count
            try groups.add(leaf, rows)
            if groups.isFull { try runs.spill() }
        }
        let (main, values) = try runs.all()
        let all = GroupResults(main, values, groups.layout, aggregates, table, overflow)
        guard order.isEmpty else {
            try GroupSorter(
                keys.map(\.collation), results: aggregates.count, order, memory
            ).sort(all, body)
            return count
        }
        while let (group, results) = all.next() {
            let values = (0..<keys.count).map { all.record.key($0, of: group) }
            if try !body(values, results) { break }
        }
        return count
    }

    /// Visits the rows of the query's results, leaf by leaf if their order does not matter.
    private func forEachRow(
        _ evaluator: QueryEvaluator, reading columns: [ColumnLeaves],
        _ body: (ClusterLeaf, Selection) throws(RealmError) -> Void
    ) throws(RealmError) {
        evaluator.visits.beginPass()
        // If the SORT by the group keys is the only clause, the order of the rows does not matter.
        if plan.query.descriptors.count == (keys.isEmpty ? 0 : 1) {
            let run = QueryRun(plan, in: snapshot)
            return try run.forEachLeaf(reading: columns) { (leaf, rows) throws(RealmError) in
                try body(leaf, rows)
                return true
            }
        }
        let place = TableContext(plan.query.table)
        for key in try plan.rows(in: snapshot).keys {
            guard let location = try evaluator.find(key, in: place) else { continue }
            try body(location.leaf, Selection(row: location.row))
        }
    }
}

extension Selection {
    /// Makes a selection that contains only `row`.
    fileprivate init(row: Int) {
        self.init(first: row + 1)
        self = subtracting(Selection(first: row))
    }
}

/// Groups in memory, and in temporary files for those that exceed the memory limit.
private final class SpilledTable {
    private let table: GroupTable
    private let memory: QueryMemoryLimit
    /// Sorted runs in temporary files. The first element has the groups. Each following element has
    /// the values of one property that is aggregated in sorted order. Empty until groups are
    /// written to files for the first time.
    private var runs: [GroupRuns] = []

    init(_ table: GroupTable, _ memory: QueryMemoryLimit) {
        self.table = table
        self.memory = memory
    }

    /// Writes all groups in memory to the files and empties the memory.
    func spill() throws(RealmError) {
        let (groups, values) = table.sorted()
        let streams = [groups] + values
        if runs.isEmpty {
            runs = try streams.map { (stream) throws(RealmError) in
                try GroupRuns(stream.record, memory, stream.record.compareKeys)
            }
        }
        for (stream, file) in zip(streams, runs) {
            while let record = stream.next() { try file.append(record) }
            try file.endRun()
        }
        table.removeAll()
    }

    /// Returns the stream of all groups. Also returns one stream for each property aggregated in
    /// sorted order, which has the property's values, ordered by group.
    func all() throws(RealmError) -> (GroupStream, [GroupStream]) {
        if runs.isEmpty { return table.sorted() }
        try spill()
        let streams = try runs.enumerated().map { (i, runs) throws(RealmError) -> GroupStream in
            try SpilledGroups(runs, i == 0 ? table.layout : .empty)
        }
        return (streams[0], Array(streams.dropFirst()))
    }
}
