/// Tests the query's condition for single objects in any order: objects of a collection, or
/// elements of other results. Confined to its snapshot's thread.
final class ObjectTest {
    private let condition: BoundCondition
    private let evaluator: QueryEvaluator
    private let table: TableContext
    /// Leaf of the object that was tested last, because the next object is often in the same leaf.
    private var leaf: ClusterLeaf?

    init(_ query: BoundQuery, _ snapshot: Snapshot) {
        condition = ConditionOrder.arranged(query.condition)
        evaluator = QueryEvaluator(snapshot, maximumReads: condition.maximumReads)
        table = TableContext(query.table)
    }

    /// Whether the object matches the condition; false if the object does not exist.
    func matches(_ key: ObjectKey) throws(RealmError) -> Bool {
        // Collections of this object may be read again for each test. `isLinked` gives each test
        // its own read budget.
        if let leaf, let row = leaf.row(of: key) {
            return try evaluator.evaluate(
                condition, RowLocation(leaf: leaf, row: row, isLinked: true))
        }
        guard let location = try evaluator.find(key, in: table) else { return false }
        leaf = location.leaf
        return try evaluator.evaluate(condition, location)
    }
}

extension BoundQuery {
    /// Returns the results of the query if applied to `keys` in place of all objects, in the order
    /// of `keys` and with their repetitions.
    func rows(among keys: RowKeys, in snapshot: Snapshot) throws(RealmError) -> RowKeys {
        let test = ObjectTest(self, snapshot)
        var matches: [ObjectKey] = []
        for key in keys where try test.matches(key) { matches.append(key) }
        return try RowArranger(self, QueryOptions(), snapshot, maximumRepeats: matches.count)
            .arranged(RowKeys(matches))
    }
}
