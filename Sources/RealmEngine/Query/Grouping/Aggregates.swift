/// An aggregate of the objects of a query.
public struct AggregateExpression: Sendable {
    /// Nil for the number of objects.
    public let function: AggregateFunction?
    /// Index of the property in its class.
    public let column: Int

    /// The number of objects.
    public static let count = AggregateExpression(function: nil, column: -1)

    private init(function: AggregateFunction?, column: Int) {
        self.function = function
        self.column = column
    }

    /// The aggregate of property `column` of `table`; nil when it is not defined for its values.
    public init?(_ function: AggregateFunction, of column: Int, in table: TableInfo) {
        let info = table.columns[column]
        guard info.collection == nil, function.isDefined(for: info.type) else { return nil }
        self.init(function: function, column: column)
    }

    /// The column that is read; nil for the number of objects.
    func column(of table: TableInfo) -> BoundColumn? {
        function == nil ? nil : BoundColumn(table.columns[column])
    }

    func state(in table: TableInfo) -> AggregateState {
        AggregateState(function, of: column(of: table)?.type ?? .int)
    }
}

extension AggregateFunction {
    /// Whether the function is defined for values of the type.
    func isDefined(for type: ColumnType) -> Bool {
        switch type {
        case .int, .float, .double, .decimal, .mixed: true
        case .timestamp: !isSum
        default: false
        }
    }
}

extension QueryPlan {
    /// Aggregates of the objects that the query yields, in the order of `expressions`. A sum of
    /// integers that does not fit in one is a double.
    ///
    /// - Throws: `corrupt`.
    public func aggregates(
        _ expressions: [AggregateExpression], in snapshot: Snapshot
    ) throws(RealmError) -> (count: Int, values: [Value]) {
        let (count, states) = try states(expressions, in: snapshot)
        return (count, states.map { $0.result(objects: count) })
    }

    func states(
        _ expressions: [AggregateExpression], in snapshot: Snapshot
    ) throws(RealmError) -> (count: Int, states: [AggregateState]) {
        if isArranged {
            let keys = try rows(in: snapshot).keys
            return try snapshot.table(query.table).states(expressions, of: keys)
        }
        let columns = expressions.map { $0.column(of: query.table) }
        var states = expressions.map { $0.state(in: query.table) }
        var count = 0
        try QueryRun(self, in: snapshot).forEachLeaf { (leaf, rows) throws(RealmError) in
            count &+= rows.count
            for i in states.indices {
                guard let column = columns[i] else { continue }
                try states[i].add(leaf.column(column.leafIndex, column.layout), rows)
            }
            return true
        }
        return (count, states)
    }
}

extension Table {
    /// Aggregates of the objects with `keys`, which are read in order: sums depend on it. Keys
    /// without an object are skipped.
    ///
    /// - Throws: `corrupt`.
    func states(
        _ expressions: [AggregateExpression], of keys: RowKeys
    ) throws(RealmError) -> (count: Int, states: [AggregateState]) {
        var states = expressions.map { $0.state(in: info) }
        var count = 0
        let columns = expressions.filter { $0.function != nil }.map(\.column)
        let scan = scan(columns: columns)
        for key in keys {
            guard let row = try scan.seek(key) else { continue }
            count += 1
            var column = 0
            for i in states.indices where expressions[i].function != nil {
                states[i].add(try scan.value(row: row, column: column))
                column += 1
            }
        }
        return (count, states)
    }
}
