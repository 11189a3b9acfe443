/// An aggregate of the objects of a query.
public struct AggregateExpression: Sendable {
    public let function: AggregateFunction
    /// Index of the property in its class; -1 for the number of objects.
    public let column: Int

    /// The number of objects.
    public static let count = AggregateExpression(function: .count, column: -1)

    private init(function: AggregateFunction, column: Int) {
        self.function = function
        self.column = column
    }

    /// The aggregate of property `column` of `table`; nil when it is not defined for its values.
    public init?(_ function: AggregateFunction, of column: Int, in table: TableInfo) {
        let info = table.columns[column]
        let type = OperandType(info.type, target: info.target)
        guard info.collection == nil, function.argument != .none, function.isDefined(for: type)
        else { return nil }
        self.init(function: function, column: column)
    }

    /// The column that is read; nil for the number of objects.
    func column(of table: TableInfo) -> BoundColumn? {
        column < 0 ? nil : BoundColumn(table.columns[column])
    }

    /// Nil for the number of objects.
    func run(in table: TableInfo) -> AggregateRun? {
        column(of: table).map { AggregateRun(function, of: $0.type) }
    }
}

extension QueryPlan {
    /// Aggregates of the objects that the query yields, in the order of `expressions`. A sum of
    /// integers that does not fit in one is a double. Values of which a function needs all are kept in
    /// the memory of the plan's options, beyond which they go to a temporary file.
    ///
    /// - Throws: `corrupt`, and `output` if that file cannot be written.
    public func aggregates(
        _ expressions: [AggregateExpression], in snapshot: Snapshot
    ) throws(RealmError) -> (count: Int, values: [Value]) {
        try aggregates(expressions, .widens, in: snapshot)
    }

    func aggregates(
        _ expressions: [AggregateExpression], _ overflow: IntegerOverflow, in snapshot: Snapshot
    ) throws(RealmError) -> (count: Int, values: [Value]) {
        if expressions.contains(where: \.function.isOrdered) {
            return try orderedAggregates(expressions, overflow, in: snapshot)
        }
        if isArranged {
            let keys = try rows(in: snapshot).keys
            return try snapshot.table(query.table).aggregates(expressions, overflow, of: keys)
        }
        let runs = expressions.map { $0.run(in: query.table) }
        // Several aggregates of one property read its leaf once.
        var columns: [(leaves: ColumnLeaves, runs: [AggregateRun])] = []
        for (expression, run) in zip(expressions, runs) {
            guard let column = expression.column(of: query.table), let run else { continue }
            if let i = columns.firstIndex(where: { $0.leaves.column.leafIndex == column.leafIndex })
            {
                columns[i].runs.append(run)
            } else {
                columns.append((ColumnLeaves(column), [run]))
            }
        }
        var count = 0
        try QueryRun(self, in: snapshot).forEachLeaf(
            reading: columns.map(\.leaves)
        ) { (leaf, rows) throws(RealmError) in
            count &+= rows.count
            for (leaves, runs) in columns {
                let cells = try leaves.leaf(leaf)
                for run in runs { try run.add(cells, rows) }
            }
            return true
        }
        return (count, runs.map { $0?.result(overflow) ?? .int(Int64(count)) })
    }

    /// Aggregates of which some are computed from the values in order: all objects are one group.
    private func orderedAggregates(
        _ expressions: [AggregateExpression], _ overflow: IntegerOverflow, in snapshot: Snapshot
    ) throws(RealmError) -> (count: Int, values: [Value]) {
        var results = expressions.map { $0.run(in: query.table)?.result(overflow) ?? .int(0) }
        let count = try GroupVisit(self, keys: [], expressions, overflow, in: snapshot)
            .forEachGroup(order: []) { (_, values) throws(RealmError) in
                results = values
                return true
            }
        return (count, results)
    }
}

extension Table {
    /// Aggregates of the objects with `keys`, which are read in order: sums depend on it. Keys
    /// without an object are skipped.
    ///
    /// - Throws: `corrupt`.
    func aggregates(
        _ expressions: [AggregateExpression], _ overflow: IntegerOverflow, of keys: RowKeys
    ) throws(RealmError) -> (count: Int, values: [Value]) {
        let all = expressions.map { $0.run(in: info) }
        let runs = all.compactMap { $0 }
        let scan = scan(columns: expressions.map(\.column).filter { $0 >= 0 })
        var count = 0
        for key in keys {
            guard let row = try scan.seek(key) else { continue }
            count += 1
            for i in runs.indices { runs[i].add(try scan.value(row: row, column: i)) }
        }
        return (count, all.map { $0?.result(overflow) ?? .int(Int64(count)) })
    }
}
