/// Applies SORT, DISTINCT and LIMIT, in the order written, to matches in table order (query
/// language 22).
final class RowArranger {
    let descriptors: [BoundDescriptor]
    private let evaluator: QueryEvaluator
    private let table: TablePlace

    init(_ query: BoundQuery, _ snapshot: Snapshot) {
        descriptors = Self.merged(query.descriptors)
        evaluator = QueryEvaluator(snapshot)
        table = TablePlace(query.table)
    }

    /// Of neighbouring SORTs the later one is primary, of neighbouring LIMITs the smaller counts.
    static func merged(_ descriptors: [BoundDescriptor]) -> [BoundDescriptor] {
        var result: [BoundDescriptor] = []
        for descriptor in descriptors {
            switch (descriptor, result.last) {
            case (.sort(let keys), .sort(let earlier)?):
                result[result.count - 1] = .sort(keys + earlier)
            case (.limit(let count), .limit(let earlier)?):
                result[result.count - 1] = .limit(min(count, earlier))
            default: result.append(descriptor)
            }
        }
        return result
    }

    /// Applies the descriptors, except for the first `done`.
    func apply(to keys: inout [ObjectKey], after done: Int = 0) throws(RealmError) {
        for descriptor in descriptors.dropFirst(done) {
            if keys.isEmpty { return }
            switch descriptor {
            case .limit(let count): keys.removeLast(max(0, keys.count - count))
            case .distinct(let paths): try distinct(&keys, paths)
            case .sort(let paths): try sort(&keys, paths)
            }
        }
    }

    /// The sort keys of rows, gathered a leaf at a time as far as neighbours lie in the same one.
    private func columns(
        _ keys: [ObjectKey], _ paths: [BoundSortKey]
    ) throws(RealmError) -> [SortColumn] {
        for path in paths { if let failure = path.failure { throw failure } }
        let columns = paths.map { SortColumn($0, evaluator, capacity: keys.count) }
        var leaf: ClusterLeaf?
        var rows: [Int] = []
        for key in keys {
            if let leaf, let row = leaf.row(of: key) {
                rows.append(row)
                continue
            }
            if let leaf { for column in columns { try column.add(leaf, rows) } }
            guard let spot = try evaluator.find(key, in: table) else {
                throw .corrupt("object \(key.raw) vanished", in: "table \(table.key.raw)")
            }
            leaf = spot.leaf
            rows.removeAll(keepingCapacity: true)
            rows.append(spot.row)
        }
        if let leaf { for column in columns { try column.add(leaf, rows) } }
        return columns
    }

    /// The value of a key of the object itself.
    func value(_ object: ObjectKey, _ key: BoundSortKey) throws(RealmError) -> Value? {
        try evaluator.find(object, in: table)?.value(key.column)
    }

    func sort(_ keys: inout [ObjectKey], _ paths: [BoundSortKey]) throws(RealmError) {
        let columns = try columns(keys, paths)
        keys = SortOrder(columns, count: keys.count).sorted().map { keys[Int($0)] }
    }

    private func distinct(
        _ keys: inout [ObjectKey], _ paths: [BoundSortKey]
    ) throws(RealmError) {
        let columns = try columns(keys, paths)
        let kept = DistinctSet(columns, count: keys.count).firstRows()
        keys = kept.map { keys[Int($0)] }
    }
}
