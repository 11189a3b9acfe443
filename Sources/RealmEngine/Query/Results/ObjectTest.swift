/// A query's condition, asked about objects one by one in any order: those of a collection, or the
/// elements of other results. Confined to its snapshot's thread.
final class ObjectTest {
    private let condition: BoundCondition
    private let evaluator: QueryEvaluator
    private let table: TablePlace
    /// Of the object asked about last.
    private var leaf: ClusterLeaf?

    init(_ query: BoundQuery, _ snapshot: Snapshot) {
        condition = ConditionOrder.arranged(query.condition)
        evaluator = QueryEvaluator(snapshot, looks: condition.looks)
        table = TablePlace(query.table)
    }

    /// False also for an object that does not exist.
    func matches(_ key: ObjectKey) throws(RealmError) -> Bool {
        // The same object may come again and again: what is read of it is metered each time.
        if let leaf, let row = leaf.row(of: key) {
            return try evaluator.evaluate(
                condition, RowLocation(leaf: leaf, row: row, isLinked: true))
        }
        guard let spot = try evaluator.find(key, in: table) else { return false }
        leaf = spot.leaf
        return try evaluator.evaluate(condition, spot)
    }
}

extension BoundQuery {
    /// The objects the query yields when it is asked about `keys`, in their order and as often as they
    /// come, instead of about all objects.
    func rows(among keys: RowKeys, in snapshot: Snapshot) throws(RealmError) -> RowKeys {
        let test = ObjectTest(self, snapshot)
        var matches: [ObjectKey] = []
        for key in keys where try test.matches(key) { matches.append(key) }
        return try RowArranger(self, QueryOptions(), snapshot, mostRepeats: matches.count)
            .arranged(RowKeys(matches))
    }
}
