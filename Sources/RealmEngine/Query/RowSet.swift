/// The outcome of a query: keys of objects of one class, in the query's order.
public struct RowSet: Sendable {
    public let table: TableInfo
    public let keys: [ObjectKey]

    public var count: Int { keys.count }
}

extension QueryPlan {
    /// The objects the query yields, descriptors applied.
    public func rows(in snapshot: Snapshot) throws(RealmError) -> RowSet {
        let run = QueryRun(self, in: snapshot)
        let arranger = RowArranger(query, snapshot)
        if let top = try topRows(run, arranger) { return top }
        var keys: [ObjectKey] = []
        var limit = Int.max
        if case .limit(let count)? = arranger.descriptors.first { limit = count }
        if limit > 0 {
            try run.forEachLeaf { (leaf, rows) throws(RealmError) in
                try rows.visit { keys.append(leaf.key($0)) }
                return keys.count < limit
            }
        }
        try arranger.apply(to: &keys)
        return RowSet(table: query.table, keys: keys)
    }

    /// The way for a small LIMIT right behind the first SORT.
    private func topRows(
        _ run: QueryRun, _ arranger: RowArranger
    ) throws(RealmError) -> RowSet? {
        guard case .sort(let paths)? = arranger.descriptors.first, arranger.descriptors.count > 1,
            case .limit(let count) = arranger.descriptors[1], count > 0, count <= TopRows.maximum
        else { return nil }
        var top = TopRows(count, paths, arranger)
        let builder = TermBuilder(run.evaluator, options)
        try run.forEachLeaf { (leaf, rows) throws(RealmError) in
            try top.add(leaf, rows, builder, run.evaluator.space)
            return true
        }
        var keys = try top.finish()
        try arranger.apply(to: &keys, after: 2)
        return RowSet(table: query.table, keys: keys)
    }

    /// Matches in table order, as workers found them, with the descriptors applied.
    public func arranged(
        _ matches: [ObjectKey], in snapshot: Snapshot
    ) throws(RealmError) -> RowSet {
        var keys = matches
        let arranger = RowArranger(query, snapshot)
        try arranger.apply(to: &keys)
        return RowSet(table: query.table, keys: keys)
    }

    /// Number of objects the query yields. Without DISTINCT no object is materialised.
    public func count(in snapshot: Snapshot) throws(RealmError) -> Int {
        var limit = Int.max
        var needsRows = false
        for descriptor in query.descriptors {
            switch descriptor {
            case .limit(let count): limit = min(limit, count)
            case .distinct: needsRows = true
            case .sort(let keys):
                if keys.contains(where: { $0.failure != nil }) { needsRows = true }
            }
        }
        if needsRows { return try rows(in: snapshot).count }
        let run = QueryRun(self, in: snapshot)
        if limit == Int.max { return try run.matchCount() }
        var total = 0
        try run.forEachLeaf { (_, rows) throws(RealmError) in
            total += rows.count
            return total < limit
        }
        return min(total, limit)
    }
}
