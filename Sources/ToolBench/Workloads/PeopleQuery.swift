import RealmEngine
import ToolKit

extension WorkloadCatalogue {
    /// Workloads that depend on the values of the generated persons.
    static let queries: [WorkloadPlan] = [
        plan(.int, "query-int", "count the objects with a number above a limit"),
        plan(.intIndex, "query-int-index", "find an object by its primary key"),
        plan(.string, "query-string", "count the objects with a given string"),
        plan(
            .stringIndex, "query-string-index",
            "find an object by the value of an indexed string property"),
        plan(
            .like, "query-like",
            "count the objects with a string that matches a wildcard pattern"),
        plan(
            .links, "query-links",
            "count the objects that link to an object with a number above a limit"),
        plan(
            .fulltext, "query-fulltext",
            "count the objects with a given word in a string that has a full-text index"),
        plan(.in, "query-in", "count the objects with a number that is in a given list"),
        plan(.sort, "sort", "sort all objects by a string, then by a number"),
        plan(
            .sortLimit, "sort-limit",
            "find the 20 objects with the largest values of a double property"),
        plan(.distinct, "distinct", "find the first object with each value of a string property"),
        people("aggregate", "compute a count, a sum, an average and a maximum in one pass") {
            setting throws(RealmError) in try AggregateWorkload(setting)
        },
        people("link-walk", "follow the link of every object and read a number of its target") {
            setting throws(RealmError) in LinkWalkWorkload(setting)
        },
        people("list-iterate", "read the links in the list of every object") {
            setting throws(RealmError) in ListIterateWorkload(setting)
        },
    ]

    private static func plan(
        _ query: PeopleQuery, _ name: String, _ summary: String
    ) -> WorkloadPlan {
        // Counting takes too little time to be measured at several sizes. Queries that sort are
        // measured at several sizes, because their cost grows faster than the number of objects.
        let sets: Set<WorkloadSet> = query.answer == .rows ? [.standard, .scaling] : [.standard]
        return people(name, summary, in: sets) { setting throws(RealmError) in
            try PeopleQueryWorkload(setting, query)
        }
    }

    private static func people(
        _ name: String, _ summary: String, in sets: Set<WorkloadSet> = [.standard],
        make: @escaping @Sendable (BenchSetting) throws(RealmError) -> any Workload
    ) -> WorkloadPlan {
        var plan = WorkloadPlan(name, summary, in: sets, make: make)
        plan.needsPeople = true
        return plan
    }
}

/// Queries on generated persons.
enum PeopleQuery: Sendable {
    case int, intIndex, string, stringIndex, like, links, fulltext, `in`
    case sort, sortLimit, distinct

    /// Number of repetitions in a run. Chosen so that a run takes about as long as a run of other
    /// workloads.
    var times: Int {
        switch self {
        case .intIndex, .stringIndex: 2000
        case .int, .string, .in: 500
        case .like, .links, .fulltext, .sortLimit: 100
        case .sort, .distinct: 5
        }
    }

    /// Returns the text of the query. `email` is the address of the person at position `middle`.
    func predicate(middle: Int, email: String) -> String {
        switch self {
        case .int: "age > 50"
        case .intIndex: "_id == \(middle)"
        case .string: "city == 'Berlin'"
        case .stringIndex: "email == '\(email)'"
        case .like: "name LIKE 'A*n*g'"
        case .links: "best.age > 10"
        case .fulltext: "name TEXT 'turing'"
        case .in: "age IN {1, 2, 3, 5, 8, 13, 21}"
        case .sort: "TRUEPREDICATE SORT(city ASC, age ASC)"
        case .sortLimit: "TRUEPREDICATE SORT(score DESC) LIMIT(20)"
        case .distinct: "TRUEPREDICATE DISTINCT(name)"
        }
    }

    /// Result of the query: the objects, or their number only.
    var answer: QueryWorkload.Answer {
        switch self {
        case .sort, .sortLimit, .distinct: .rows
        default: .count
        }
    }

    /// Sort keys of the result; empty if the result has the order of the table.
    var order: [(column: PeopleDatabase.Column, isAscending: Bool)] {
        switch self {
        case .sort: [(.city, true), (.age, true)]
        case .sortLimit: [(.score, false)]
        default: []
        }
    }
}

/// Repeats one of the queries, and checks its result in a slower way.
final class PeopleQueryWorkload: QueryWorkload {
    private let query: PeopleQuery

    init(_ setting: BenchSetting, _ query: PeopleQuery) throws(RealmError) {
        self.query = query
        try super.init(
            setting, try QueryUnderTest("Person:TRUEPREDICATE"), query.answer, times: query.times)
    }

    override func setUp() throws(RealmError) {
        try super.setUp()
        guard let table else { return }
        let people = snapshot.table(table)
        let middle = try people.count() / 2
        var email = ""
        if let key = try people.find(primaryKey: .int(Int64(middle))),
            let row = try people.row(key),
            case .string(let text) = try row.value(PeopleDatabase.Column.email.rawValue)
        {
            email = text.string
        }
        try change(to: query.predicate(middle: middle, email: email))
    }

    override func check(_ found: Int) throws(RealmError) {
        let expected = try expectedCount()
        guard found == expected else {
            throw .failedCheck("\(request.text): \(found) objects instead of \(expected)")
        }
        if let rows, !query.order.isEmpty { try checkOrder(rows) }
    }

    /// Returns the number of objects that the query must find. Counts them in a slower way: object
    /// by object, without search indexes and fast scan functions (kernels).
    private func expectedCount() throws(RealmError) -> Int {
        guard let table else { return 0 }
        if case .distinct = query { return try distinctNames(table) }
        var options = QueryOptions()
        options.usesIndexes = false
        options.usesKernels = false
        let bound = try Query(request.predicate).bound(to: snapshot.table(table))
        return try QueryPlan(bound, in: snapshot, options: options).count(in: snapshot)
    }

    private func distinctNames(_ table: TableInfo) throws(RealmError) -> Int {
        var names: Set<[UInt8]> = []
        try forEachValue(table, .name) {
            if case .string(let text) = $0 { names.insert(text.bytes) }
        }
        return names.count
    }

    private func forEachValue(
        _ table: TableInfo, _ column: PeopleDatabase.Column, _ body: (Value) -> Void
    ) throws(RealmError) {
        snapshot.beginWalk()
        let scan = snapshot.table(table).scan(columns: [column.rawValue])
        while try scan.next() {
            for row in 0..<scan.count { body(try scan.value(row: row, column: 0)) }
        }
    }

    /// Checks that the found objects are sorted, and that no object of the class belongs before the
    /// first found one.
    private func checkOrder(_ rows: RowSet) throws(RealmError) {
        var last: [Value] = []
        for key in rows.keys {
            let values = try sortValues(key, rows.table)
            guard last.isEmpty || compare(last, values) <= 0 else {
                throw .failedCheck("\(request.text): object \(key.raw) is out of order")
            }
            last = values
        }
        guard let first = rows.keys.first, let top = query.order.first else { return }
        let best = try sortValues(first, rows.table)[0]
        var isFirst = true
        try forEachValue(rows.table, top.column) {
            let order = ValueOrder.compare(best, $0)
            if top.isAscending ? order > 0 : order < 0 { isFirst = false }
        }
        if !isFirst { throw .failedCheck("\(request.text): another object comes first") }
    }

    private func sortValues(_ key: ObjectKey, _ table: TableInfo) throws(RealmError) -> [Value] {
        guard let row = try snapshot.table(table).row(key) else {
            throw .failedCheck("\(request.text): object \(key.raw) does not exist")
        }
        var values: [Value] = []
        for (column, _) in query.order { values.append(try row.value(column.rawValue)) }
        return values
    }

    private func compare(_ a: [Value], _ b: [Value]) -> Int {
        for (i, part) in query.order.enumerated() {
            let order = ValueOrder.compare(a[i], b[i])
            if order != 0 { return part.isAscending ? order : -order }
        }
        return 0
    }
}

/// Computes the count, sum, average and maximum over all persons in one scan. One operation is the
/// whole scan.
final class AggregateWorkload: Workload {
    private static let list = "count,sum(age),avg(score),max(created)"
    private static let times = 100

    private let database: Database
    private let snapshot: Snapshot
    private let most: Int
    private var results: [Value] = []
    private var found = 0

    init(_ setting: BenchSetting) throws(RealmError) {
        database = try Database(immutable: setting.file, key: setting.key)
        snapshot = database.snapshot()
        most = min(setting.num, Self.times)
    }

    func setUp() {}

    private func people() throws(RealmError) -> TableInfo {
        guard let info = snapshot.schema.table(named: "Person") else {
            throw .failedCheck("the generated file has no class Person")
        }
        return info
    }

    @_optimize(speed)
    func run(_ meter: inout Meter) throws(RealmError) {
        let table = try people()
        meter.start()
        while meter.operations < most, !meter.isOver {
            let aggregation = try Aggregation(Self.list, table)
            let query = try Query("TRUEPREDICATE").bound(to: snapshot.table(table))
            found = try aggregation.run(try QueryPlan(query, in: snapshot), snapshot)
            results = aggregation.results
            meter.lap()
        }
        meter.stop()
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        if database.hasChanged { throw DatabaseChange.error }
        let sum = try check()
        return RunOutcome(
            version: database.version, objects: found, checksum: UInt64(bitPattern: sum))
    }

    /// Checks the query's results against the values of all persons, read one by one. Returns the
    /// sum of their ages.
    private func check() throws(RealmError) -> Int64 {
        let table = snapshot.table(try people())
        snapshot.beginWalk()
        var (sum, latest, scores) = (Int64(0), Value.null, 0.0)
        let keys = try table.keys()
        for key in keys {
            guard let row = try table.row(key) else { continue }
            if case .int(let age) = try row.value(PeopleDatabase.Column.age.rawValue) { sum += age }
            if case .double(let score) = try row.value(PeopleDatabase.Column.score.rawValue) {
                scores += score
            }
            let created = try row.value(PeopleDatabase.Column.created.rawValue)
            if ValueOrder.compare(created, latest) > 0 { latest = created }
        }
        let average = keys.isEmpty ? 0 : scores / Double(keys.count)
        let isRight =
            found == keys.count && results.count == 4
            && ValueOrder.areEqual(results[0], .int(Int64(keys.count)))
            && ValueOrder.areEqual(results[1], .int(sum))
            && isNear(results[2], average) && ValueOrder.areEqual(results[3], latest)
        guard isRight else { throw .failedCheck("\(Self.list): a wrong result") }
        return sum
    }

    /// Compares with a tolerance, because sums of fractions depend on the order of summation.
    private func isNear(_ value: Value, _ expected: Double) -> Bool {
        guard case .double(let x) = value else { return expected == 0 }
        return abs(x - expected) <= 1e-9 * max(1, abs(expected))
    }
}
