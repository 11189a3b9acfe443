/// An aggregate function applied to the objects that a query finds.
public struct AggregateExpression: Sendable {
    public let function: AggregateFunction
    /// Index of the aggregated property in its class; -1 if the aggregate counts objects.
    public let column: Int

    /// The aggregate that counts objects.
    public static let count = AggregateExpression(function: .count, column: -1)

    private init(function: AggregateFunction, column: Int) {
        self.function = function
        self.column = column
    }

    /// Makes the aggregate of property `column` of `table`; nil if it is not defined for the
    /// property's type.
    public init?(_ function: AggregateFunction, of column: Int, in table: TableInfo) {
        let info = table.columns[column]
        let type = OperandType(info.type, target: info.target)
        guard info.collection == nil, function.argument != .none, function.isDefined(for: type)
        else { return nil }
        self.init(function: function, column: column)
    }

    /// Returns the property of `table` that is aggregated; nil if the aggregate counts objects.
    func column(of table: TableInfo) -> BoundColumn? {
        column < 0 ? nil : BoundColumn(table.columns[column])
    }

    /// Makes a computation to which no value has been added yet; nil if the aggregate counts
    /// objects.
    func run(in table: TableInfo) -> AggregateRun? {
        column(of: table).map { AggregateRun(function, of: $0.type) }
    }
}

extension QueryPlan {
    /// Returns aggregates of the query's results, in the order of `expressions`.
    ///
    /// An integer sum beyond 64 bits becomes a double. Functions of sorted values, such as the
    /// median, collect the values in memory up to the memory limit of the plan's options, and in a
    /// temporary file above it.
    ///
    /// - Throws: `corrupt`, and `output` if the temporary file cannot be written.
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
        // Read the leaf of a property once for all its aggregates.
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

    /// Computes aggregates that include a function of sorted values, such as the median. Treats all
    /// objects as one group.
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
    /// Returns aggregates of the objects with `keys`. Objects are read in the order of `keys`,
    /// because the rounding of sums depends on it. Keys without an object are skipped.
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
