/// Result of a query: keys of objects of one class, in the query's order.
public struct RowSet: Sendable {
    public let table: TableInfo
    public let keys: RowKeys

    public var count: Int { keys.count }
}

extension QueryPlan {
    /// Returns the results of the query with all clauses applied.
    public func rows(in snapshot: Snapshot) throws(RealmError) -> RowSet {
        if let candidates, candidates.isFinal, query.descriptors.isEmpty {
            return RowSet(table: query.table, keys: try keys(candidates, in: snapshot))
        }
        let arranger = RowArranger(self, snapshot)
        if let top = try topRows(arranger, snapshot) { return top }
        if let distinct = try distinctRows(arranger, snapshot) { return distinct }
        var limit = Int.max
        if case .limit(let count)? = arranger.descriptors.first { limit = count }
        let matches = try keys(in: snapshot, first: limit)
        return RowSet(table: query.table, keys: try arranger.arranged(matches))
    }

    /// Returns the first object of the results; nil if the results are empty.
    public func first(in snapshot: Snapshot) throws(RealmError) -> ObjectKey? {
        if isArranged { return try rows(in: snapshot).keys.first }
        if let candidates, candidates.isFinal {
            return try candidates.objects.first(snapshot.lookup)
        }
        return try QueryRun(self, in: snapshot).first()
    }

    /// Returns the keys of the first objects that match the condition, in table order. If more than
    /// `limit` objects match, the list has at least `limit` keys and may have more.
    private func keys(in snapshot: Snapshot, first limit: Int) throws(RealmError) -> RowKeys {
        if limit == 0 { return RowKeys([]) }
        if let candidates, candidates.isFinal {
            return try keys(candidates, in: snapshot, first: limit)
        }
        var keys = KeyGatherer(QueryMemoryLimit(options, snapshot))
        try QueryRun(self, in: snapshot).forEachLeaf { (leaf, rows) throws(RealmError) in
            try keys.append(leaf, rows)
            return keys.count < limit
        }
        return try keys.finish()
    }

    /// Returns the keys of the objects that indexes found, at most `limit`. No condition may remain
    /// to be tested on these objects.
    private func keys(
        _ candidates: IndexCandidates, in snapshot: Snapshot, first limit: Int = .max
    ) throws(RealmError) -> RowKeys {
        let space = snapshot.lookup
        if min(candidates.count, limit) < QueryMemoryLimit.keys(options) {
            return RowKeys(try candidates.objects.keys(space, first: limit))
        }
        var keys = KeyGatherer(QueryMemoryLimit(options, snapshot))
        try candidates.objects.visit(space) { (part) throws(RealmError) in
            for key in part { try keys.append(ObjectKey(key)) }
            return keys.count < limit
        }
        return try keys.finish()
    }

    /// Returns the result of a query that begins with a SORT and a LIMIT of at most
    /// `TopRows.maximum`. Nil if the query has another form.
    private func topRows(
        _ arranger: RowArranger, _ snapshot: Snapshot
    ) throws(RealmError) -> RowSet? {
        guard case .sort(let paths)? = arranger.descriptors.first, arranger.descriptors.count > 1,
            case .limit(let count) = arranger.descriptors[1], count > 0, count <= TopRows.maximum
        else { return nil }
        var top = TopRows(count, paths, arranger)
        let run = QueryRun(self, in: snapshot)
        let builder = TermBuilder(run.evaluator, options)
        try run.forEachLeaf { (leaf, rows) throws(RealmError) in
            try top.add(leaf, rows, builder, run.directory)
            return true
        }
        let keys = RowKeys(try top.finish())
        return RowSet(table: query.table, keys: try arranger.arranged(keys, after: 2))
    }

    /// Applies the query's clauses to `matches`: the matching objects in table order, which
    /// parallel workers found.
    func arranged(
        _ matches: [ObjectKey], in snapshot: Snapshot
    ) throws(RealmError) -> RowSet {
        let keys = try RowArranger(self, snapshot).arranged(RowKeys(matches))
        return RowSet(table: query.table, keys: keys)
    }

    /// Returns the number of results. Without DISTINCT, no list of objects is built.
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
        if let candidates, candidates.isFinal { return min(candidates.count, limit) }
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
