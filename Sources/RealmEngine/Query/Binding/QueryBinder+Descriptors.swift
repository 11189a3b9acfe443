/// Binds the clauses SORT, DISTINCT and LIMIT (query language 22).
extension QueryBinder {
    mutating func bound(_ clause: QueryClause) throws(RealmError) -> BoundDescriptor {
        switch clause {
        case .limit(let count): return .limit(max(0, count))
        case .sort(let trees):
            var keys: [BoundSortKey] = []
            for tree in trees {
                var key = try sortKey(tree.operand, isAscending: tree.isAscending)
                key.collation = tree.collation
                keys.append(key)
            }
            return .sort(keys)
        case .distinct(let trees):
            var keys: [BoundSortKey] = []
            for tree in trees {
                var key = try sortKey(tree.operand, isAscending: true)
                key.collation = tree.collation
                keys.append(key)
            }
            return .distinct(keys)
        }
    }

    private mutating func sortKey(
        _ operand: QueryOperand, isAscending: Bool
    ) throws(RealmError) -> BoundSortKey {
        sortKeys += 1
        guard sortKeys <= QueryLimits.sortKeys else {
            throw source.exceeded(
                "too many properties in SORT and DISTINCT", QueryLimits.sortKeys, at: operand.range)
        }
        guard case .property(let property) = operand.kind, property.suffix == .none,
            property.quantifier == nil
        else {
            if let key = try calculatedKey(operand, isAscending) { return key }
            throw source.error(
                .invalidSortDescriptor, "sortPath", at: operand.range,
                "objects have no single value to sort by here")
        }
        // In query text, only property paths are allowed as keys (query language 22).
        if operand.range.start >= 0 { return try sortKey(property.path, isAscending) }
        do throws(RealmError) {
            let key = try sortKey(property.path, isAscending)
            return key.failure == nil ? key : (try? calculatedKey(operand, isAscending)) ?? key
        } catch {
            if let key = try? calculatedKey(operand, isAscending) { return key }
            throw error
        }
    }

    /// Binds a sort key that is computed for each object; nil unless every object has one value, as
    /// `isSortable` defines.
    private mutating func calculatedKey(
        _ operand: QueryOperand, _ isAscending: Bool
    ) throws(RealmError) -> BoundSortKey? {
        let bound = try self.operand(operand, target: nil)
        guard bound.isSortable, let column = table.columns.first else { return nil }
        return BoundSortKey(
            hops: [], column: BoundColumn(column), key: nil, operand: bound,
            isAscending: isAscending, failure: nil, name: operand.sortName)
    }

    private mutating func sortKey(
        _ path: QueryPath, _ isAscending: Bool
    ) throws(RealmError) -> BoundSortKey {
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
        // If the first name of the path is unknown, there is no column to read. The key then has a
        // failure and is never evaluated, so any column of the class will do.
        guard let column = key.column ?? table.columns.first else {
            throw unknownProperty("", in: table, path.range, reason: "unknownSortProperty")
        }
        return BoundSortKey(
            hops: key.hops, column: BoundColumn(column), key: key.entry,
            isAscending: isAscending,
            failure: key.failure, name: path.description)
    }

    /// Adds one step to a sort key: a property, or the key of the dictionary before it. A step that
    /// cannot be sorted by is stored as an error, which is thrown only when there are objects to
    /// sort.
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
                        kind: .toOne, source: TableContext(key.table), target: TableContext(target),
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
        // A key that a program built for SORT or DISTINCT has no source text to quote.
        let key = range.start < 0 ? "this path" : "'\(source.quote(range))'"
        return source.error(
            .invalidSortDescriptor, "sortPath", at: range,
            "\(key) cannot be used in SORT or DISTINCT: only links to one object and, at the end, a "
                + "single value")
    }
}

/// Properties and links of a SORT or DISTINCT path that were resolved so far.
private struct SortKeyBuilder {
    var table: TableInfo
    var hops: [PathHop] = []
    var column: ColumnInfo?
    var entry: ByteView?
    private(set) var failure: RealmError?

    init(table: TableInfo) { self.table = table }

    mutating func fail(with error: RealmError) { if failure == nil { failure = error } }
}

extension QueryOperand {
    /// Text of the sort key in the explanation of a query plan.
    fileprivate var sortName: String {
        switch kind {
        case .property(let property):
            "\(property.path)" + (property.suffix == .count ? ".@count" : "")
        case .aggregate(let aggregate): "\(aggregate.path).\(aggregate.function)"
        case .subquery(let subquery): "SUBQUERY(\(subquery.path))"
        case .function(let call): "\(call.function.rawValue)(\(call.operand.sortName))"
        case .constant, .list, .arithmetic: "value"
        }
    }
}

extension BoundOperand {
    /// Whether the operand can be a sort key. Its path may contain to-one links, and backlinks, of
    /// which sorting uses the first linking object; but no collections.
    fileprivate var isSortable: Bool {
        switch kind {
        case .path(let path):
            if case .scalar = path.end { return path.hops.allSatisfy(\.isSortable) }
            return false
        case .count(let path), .size(let path): return path.owners.allSatisfy(\.isSortable)
        case .aggregate(let aggregate): return aggregate.path.owners.allSatisfy(\.isSortable)
        case .function(_, let operand): return operand.isSortable
        case .subquery, .arithmetic: return shape == .scalar
        case .constant, .typeOf: return false
        }
    }
}

extension BoundPath {
    /// The links to the objects whose own links or collections are counted.
    fileprivate var owners: ArraySlice<PathHop> {
        if case .objects = end { return hops.dropLast() }
        return hops[...]
    }
}

extension PathHop {
    fileprivate var isSortable: Bool { kind == .toOne || kind == .backlink && selector.isAll }
}
