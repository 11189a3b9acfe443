/// Applies SORT, DISTINCT and LIMIT, in the order written, to matches in table order (query
/// language 22).
final class RowArranger {
    private let descriptors: [BoundDescriptor]
    private let evaluator: QueryEvaluator
    private let table: TablePlace

    init(_ query: BoundQuery, _ snapshot: Snapshot) {
        descriptors = Self.merged(query.descriptors)
        evaluator = QueryEvaluator(snapshot)
        table = TablePlace(query.table)
    }

    /// Of neighbouring SORTs the later one is primary.
    private static func merged(_ descriptors: [BoundDescriptor]) -> [BoundDescriptor] {
        var result: [BoundDescriptor] = []
        for descriptor in descriptors {
            if case .sort(let keys) = descriptor, case .sort(let earlier)? = result.last {
                result[result.count - 1] = .sort(keys + earlier)
            } else {
                result.append(descriptor)
            }
        }
        return result
    }

    func apply(to keys: inout [ObjectKey]) throws(RealmError) {
        for (i, descriptor) in descriptors.enumerated() {
            if keys.isEmpty { return }
            switch descriptor {
            case .limit(let count): keys.removeLast(max(0, keys.count - count))
            case .distinct(let paths): try distinct(&keys, paths)
            case .sort(let paths): try sort(&keys, paths, limit: limit(after: i))
            }
        }
    }

    /// The LIMIT right behind a SORT.
    private func limit(after i: Int) -> Int {
        guard i + 1 < descriptors.count, case .limit(let count) = descriptors[i + 1] else {
            return .max
        }
        return count
    }

    private func columns(
        _ keys: [ObjectKey], _ paths: [BoundSortKey]
    ) throws(RealmError) -> [SortColumn] {
        for path in paths { if let failure = path.failure { throw failure } }
        let columns = paths.map { SortColumn($0, capacity: keys.count) }
        var leaf: ClusterLeaf?
        for key in keys {
            var spot: Spot?
            if let leaf, let row = leaf.row(of: key) {
                spot = Spot(leaf: leaf, row: row)
            } else {
                spot = try evaluator.find(key, in: table)
                leaf = spot?.leaf
            }
            guard let spot else {
                throw .corrupt("object \(key.raw) vanished", in: "table \(table.key.raw)")
            }
            for column in columns { try column.add(spot, evaluator) }
        }
        return columns
    }

    private func sort(
        _ keys: inout [ObjectKey], _ paths: [BoundSortKey], limit: Int
    ) throws(RealmError) {
        let columns = try columns(keys, paths)
        let order = SortOrder(columns, count: keys.count)
        keys = order.sorted(limit: limit).map { keys[Int($0)] }
    }

    private func distinct(
        _ keys: inout [ObjectKey], _ paths: [BoundSortKey]
    ) throws(RealmError) {
        let columns = try columns(keys, paths)
        let kept = DistinctSet(columns, count: keys.count).firstRows()
        keys = kept.map { keys[Int($0)] }
    }
}
