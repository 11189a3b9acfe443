import RealmEngine
import ToolBench
import ToolKit

/// The version that the repetitions of a common task read. Confined to one thread.
package final class CoreReader {
    let database: CoreDatabase
    let snapshot: Snapshot
    /// The class `t`.
    let table: Table
    private let options: QueryOptions

    /// - Parameter isPlain: without indexes and kernels.
    init(_ database: CoreDatabase, isPlain: Bool = false) throws(RealmError) {
        self.database = database
        snapshot = database.snapshot()
        var options = QueryOptions()
        if isPlain { (options.usesIndexes, options.usesKernels) = (false, false) }
        self.options = options
        table = try snapshot.table(written: "t")
    }

    /// The class that links to `t`.
    func links() throws(RealmError) -> Table { try snapshot.table(written: "links") }

    // MARK: Queries

    func plan(
        _ condition: QueryCondition, _ clauses: [QueryClause] = [], of table: Table? = nil
    ) throws(RealmError) -> QueryPlan {
        try plan(try Query(condition, clauses), of: table)
    }

    func plan(_ query: Query, of table: Table? = nil) throws(RealmError) -> QueryPlan {
        snapshot.beginWalk()
        return try QueryPlan(
            try query.bound(to: table ?? self.table), in: snapshot, options: options)
    }

    /// Number of objects that are found and kept.
    func find(_ predicate: QueryCondition, of table: Table? = nil) throws(RealmError) -> Int {
        try plan(predicate, of: table).rows(in: snapshot).count
    }

    /// Number of objects that are only counted.
    func count(_ predicate: QueryCondition) throws(RealmError) -> Int {
        try plan(predicate).count(in: snapshot)
    }

    /// Key of the first object; -1 when there is none.
    func first(_ predicate: QueryCondition) throws(RealmError) -> Int {
        Int(try plan(predicate).first(in: snapshot)?.raw ?? -1)
    }

    // MARK: Objects

    /// The value of a property of an object of `t`.
    func value(_ key: ObjectKey, _ column: Int) throws(RealmError) -> Value {
        guard let row = try table.row(key) else {
            throw .failedCheck("object \(key.raw) is not found by key")
        }
        return try row.value(column)
    }

    /// The keys, in their order, as one number.
    static func fold(_ keys: some Sequence<ObjectKey>) -> Int {
        keys.reduce(0) { $0 &* 31 &+ Int($1.raw) }
    }

    /// The keys of `t` in the order of a property, equal values in the order of the objects.
    func sortedKeys(_ column: Int) throws(RealmError) -> [ObjectKey] {
        snapshot.beginWalk()
        var found: [(value: Value, position: Int, key: ObjectKey)] = []
        let scan = table.scan(columns: [column])
        while try scan.next() {
            for row in 0..<scan.count {
                let value = try scan.value(row: row, column: 0)
                found.append((value, found.count, scan.key(row)))
            }
        }
        found.sort { a, b in
            let order = ValueOrder.compare(a.value, b.value)
            return order == 0 ? a.position < b.position : order < 0
        }
        return found.map(\.key)
    }
}
