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
        var keys: [ObjectKey] = []
        let limit = leadingLimit
        if limit > 0 {
            try run.forEachLeaf { (leaf, rows) throws(RealmError) in
                try rows.visit { keys.append(leaf.key($0)) }
                return keys.count < limit
            }
        }
        return try arranged(keys, in: snapshot)
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

    /// How many matches suffice, when LIMIT comes before anything that looks at all of them.
    private var leadingLimit: Int {
        var limit = Int.max
        for descriptor in query.descriptors {
            guard case .limit(let count) = descriptor else { break }
            limit = min(limit, count)
        }
        return limit
    }
}
