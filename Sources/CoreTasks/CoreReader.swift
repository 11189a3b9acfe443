import RealmEngine
import ToolBench
import ToolKit

/// Reads the version of the database on which the repetitions of a task work. Confined to one
/// thread.
package final class CoreReader {
    let database: CoreDatabase
    let snapshot: Snapshot
    /// The table of the task's class `t`.
    let table: Table
    private let options: QueryOptions

    /// Creates a reader.
    ///
    /// - Parameter isPlain: whether queries use neither search indexes nor the fast scan functions
    ///   (kernels), for checking results.
    init(_ database: CoreDatabase, isPlain: Bool = false) throws(RealmError) {
        self.database = database
        snapshot = database.snapshot()
        var options = QueryOptions()
        if isPlain { (options.usesIndexes, options.usesKernels) = (false, false) }
        self.options = options
        table = try snapshot.table(written: "t")
    }

    /// Returns the table `links`, whose objects link to the objects of the task's class `t`.
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

    /// Returns the number of objects that match. Collects their keys.
    func find(_ predicate: QueryCondition, of table: Table? = nil) throws(RealmError) -> Int {
        try plan(predicate, of: table).rows(in: snapshot).count
    }

    /// Returns the number of objects that match, without collecting their keys.
    func count(_ predicate: QueryCondition) throws(RealmError) -> Int {
        try plan(predicate).count(in: snapshot)
    }

    /// Returns the key of the first object that matches; -1 if there is none.
    func first(_ predicate: QueryCondition) throws(RealmError) -> Int {
        Int(try plan(predicate).first(in: snapshot)?.raw ?? -1)
    }

    // MARK: Objects

    /// Returns the value of a property of an object of the task's class `t`.
    func value(_ key: ObjectKey, _ column: Int) throws(RealmError) -> Value {
        guard let row = try table.row(key) else {
            throw .failedCheck("object \(key.raw) is not found by key")
        }
        return try row.value(column)
    }

    /// Combines keys to one number that depends on their order, as a checksum.
    static func fold(_ keys: some Sequence<ObjectKey>) -> Int {
        keys.reduce(0) { $0 &* 31 &+ Int($1.raw) }
    }

    /// Returns the keys of the objects of the task's class `t`, sorted by a property. Objects with
    /// equal values remain in their order.
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
