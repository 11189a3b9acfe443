extension QueryPlan {
    /// Runs the DISTINCT of a query in which no SORT or LIMIT comes before it. Nil if the query
    /// does not begin with DISTINCT, if a key is not supported, or if the different combinations of
    /// key values exceed the memory limit.
    func distinctRows(
        _ arranger: RowArranger, _ snapshot: Snapshot
    ) throws(RealmError) -> RowSet? {
        guard case .distinct(let keys)? = arranger.descriptors.first else { return nil }
        var limit = Int.max
        if arranger.descriptors.count > 1, case .limit(let count) = arranger.descriptors[1] {
            limit = count
        }
        let memory = QueryMemoryLimit(options, snapshot)
        let evaluator = QueryEvaluator(snapshot, maximumReads: query.descriptors[0].maximumReads)
        evaluator.visits.beginPass()
        guard var distinct = try DistinctRows(keys, evaluator, memory) else { return nil }
        let run = QueryRun(self, in: snapshot)
        var found = KeyGatherer(memory)
        try run.forEachLeaf(reading: distinct.columns) { (leaf, rows) throws(RealmError) in
            try found.append(leaf, distinct.firstRows(leaf, rows))
            return distinct.count < limit && !distinct.isFull
        }
        if distinct.isFull { return nil }
        return RowSet(
            table: query.table, keys: try arranger.arranged(found.finish(), after: 1))
    }
}
