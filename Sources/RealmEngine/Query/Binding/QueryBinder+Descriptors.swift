/// SORT, DISTINCT and LIMIT (query language 22).
extension QueryBinder {
    mutating func bound(_ clause: QueryClause) throws(RealmError) -> BoundDescriptor {
        switch clause {
        case .limit(let count): return .limit(max(0, count))
        case .sort(let trees):
            var keys: [BoundSortKey] = []
            for tree in trees {
                keys.append(try sortKey(tree.path, isAscending: tree.isAscending))
            }
            return .sort(keys)
        case .distinct(let paths):
            var keys: [BoundSortKey] = []
            for path in paths { keys.append(try sortKey(path, isAscending: true)) }
            return .distinct(keys)
        }
    }

    private mutating func sortKey(
        _ path: QueryPath, isAscending: Bool
    ) throws(RealmError) -> BoundSortKey {
        sortKeys += 1
        guard sortKeys <= QueryLimits.sortKeys else {
            throw source.exceeded(
                "too many properties in SORT and DISTINCT", QueryLimits.sortKeys, at: path.range)
        }
        guard path.count <= QueryLimits.steps else {
            throw source.exceeded(
                "this path has too many steps", QueryLimits.steps, at: path.range)
        }
        var key = SortKeyBuilder(table: table)
        for step in path.steps {
            switch step.kind {
            case .argument: key.fail(with: unsortable(step.range))
            case .index(.key(let name)): try add(name, isKey: true, step.range, to: &key)
            case .index: key.fail(with: unsortable(step.range))
            case .name(let name): try add(name, isKey: false, step.range, to: &key)
            }
        }
        if let column = key.column, column.collection != nil, key.entry == nil {
            key.fail(with: unsortable(path.range))
        }
        // A path that failed before its first property sorts by nothing and is never evaluated.
        guard let column = key.column ?? table.columns.first else {
            throw unknownProperty("", in: table, path.range, reason: "unknownSortProperty")
        }
        return BoundSortKey(
            hops: key.hops, column: BoundColumn(column), key: key.entry, isAscending: isAscending,
            failure: key.failure, name: path.description)
    }

    /// Takes one step further: a property, a key of the dictionary before it, or a failure that is
    /// reported once there is something to sort.
    private func add(
        _ name: String, isKey: Bool, _ range: SourceRange, to key: inout SortKeyBuilder
    ) throws(RealmError) {
        if let last = key.column {
            if last.collection == .dictionary, key.entry == nil {
                key.entry = pool.view(name)
                return
            }
            if last.collection == nil, last.type == .link, let target = schema.table(last.target) {
                key.hops.append(
                    PathHop(
                        kind: .toOne, source: TablePlace(key.table), target: TablePlace(target),
                        column: BoundColumn(last)))
                key.table = target
            } else {
                key.fail(with: unsortable(range))
                if let target = schema.table(last.target), last.type == .link {
                    key.table = target
                }
            }
        }
        var name = name
        if let other = aliases.path(for: name, in: key.table.key), !other.isEmpty { name = other }
        guard let index = key.table.columnIndex(named: name) else {
            throw unknownProperty(name, in: key.table, range, reason: "unknownSortProperty")
        }
        key.column = key.table.columns[index]
        key.entry = nil
    }

    private func unsortable(_ range: SourceRange) -> RealmError {
        source.error(
            .invalidSortDescriptor, "sortPath", at: range,
            "'\(source.quote(range))' cannot be used in SORT or DISTINCT: only links to one object "
                + "and, at the end, a single value")
    }
}

/// A key path of SORT or DISTINCT while it is put together.
private struct SortKeyBuilder {
    var table: TableInfo
    var hops: [PathHop] = []
    var column: ColumnInfo?
    var entry: ByteView?
    private(set) var failure: RealmError?

    init(table: TableInfo) { self.table = table }

    mutating func fail(with error: RealmError) { if failure == nil { failure = error } }
}
