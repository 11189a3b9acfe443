import RealmEngine

/// `--group-by`: groups objects by the values of key paths and computes aggregates for each group.
package struct Grouping {
    private let paths: [String]
    private let aggregation: Aggregation
    private let order: [GroupOrder]
    private let numbers: [Bool]

    /// Checks the key paths, the list of aggregates and the sort order of the groups.
    package init(
        _ paths: [String], _ aggregates: [String], order: [String], _ table: TableInfo,
        _ schema: Schema
    ) throws(RealmError) {
        self.paths = paths
        aggregation = try Aggregation(aggregates, table)
        let labels = paths + aggregation.labels
        numbers =
            try paths.map { (path) throws(RealmError) in
                try Self.isNumber(QueryOrder.parts(path, table).path, table, schema)
            } + aggregation.areNumbers
        self.order = try order.map { (item) throws(RealmError) in
            try Self.order(item, labels, keys: paths.count)
        }
        if let twice = labels.indices.first(where: { labels[..<$0].contains(labels[$0]) }) {
            throw .misuse(
                "two fields are called \(labels[twice])", code: "InvalidArgument",
                reason: "duplicate-field")
        }
    }

    private static func isNumber(
        _ text: String, _ table: TableInfo, _ schema: Schema
    ) throws(RealmError) -> Bool {
        if table.columnIndex(named: text) == nil,
            let function = try QueryOperand.function(text)?.scalarFunction
        {
            return function.isNumber
        }
        let path = try PropertyPath(text, in: table, schema, option: "--group-by")
        if path.isSingle, path.start != .key {
            switch path.kind {
            case .collection: break
            case .scalar, .mixed, .object: return path.kind.isNumber
            }
        }
        throw .misuse(
            "--group-by: \(text) is not a single value of an object",
            code: "InvalidArgument", reason: "unsuitable-property")
    }

    private static func order(
        _ item: String, _ labels: [String], keys: Int
    ) throws(RealmError) -> GroupOrder {
        let isDescending = item.hasPrefix("-")
        let name = isDescending ? String(item.dropFirst()) : item
        guard let place = labels.firstIndex(of: name) else {
            throw .misuse(
                "--sort: groups have no \(name)", code: "InvalidArgument",
                reason: "unknown-property",
                hint: "they have \(labels.joined(separator: ", "))")
        }
        return GroupOrder(
            place < keys ? .key(place) : .aggregate(place - keys), isAscending: !isDescending)
    }

    /// Returns a query plan whose objects are sorted by the key paths of the groups.
    package func plan(
        _ filter: QueryFilter, _ table: TableInfo, _ snapshot: Snapshot,
        meter: ProgressCounter? = nil
    ) throws(RealmError) -> QueryPlan {
        let keys = paths.map { (path: $0, isAscending: true) }
        return try filter.ordered(.sort(keys)).plan(table, snapshot, meter: meter)
    }

    /// Appends a record for each group in the range of `--offset` and `--limit`, and returns their
    /// number. Calls `write` after each group; `write` may empty the buffer.
    ///
    /// - Parameter plan: a result of `plan(_:_:_:meter:)`.
    package func append(
        _ plan: QueryPlan, _ snapshot: Snapshot, window: RecordWindow, _ values: ValueStyle,
        _ style: RecordStyle, to out: inout ByteBuffer,
        write: (inout ByteBuffer) throws(RealmError) -> Void = { _ in }
    ) throws(RealmError) -> Int {
        let records = ValueRecords(
            paths + aggregation.labels, isNumber: numbers, snapshot, values, style)
        records.begin(to: &out)
        var (met, printed) = (0, 0)
        try plan.forEachGroup(aggregation.expressions, order: order, in: snapshot) {
            (keys, results) throws(RealmError) in
            if printed == window.take { return false }
            met += 1
            if met <= window.skip { return true }
            printed += 1
            try records.append(keys + results, to: &out)
            try write(&out)
            return true
        }
        records.finish(to: &out)
        return printed
    }
}
