import RealmEngine

/// The queries measured on made-up people.
enum PeopleQuery: Sendable {
    case int, intIndex, string, stringIndex, like, links, fulltext, `in`
    case sort, sortLimit, distinct

    init?(_ kind: WorkloadKind) {
        switch kind {
        case .queryInt: self = .int
        case .queryIntIndex: self = .intIndex
        case .queryString: self = .string
        case .queryStringIndex: self = .stringIndex
        case .queryLike: self = .like
        case .queryLinks: self = .links
        case .queryFulltext: self = .fulltext
        case .queryIn: self = .in
        case .sort: self = .sort
        case .sortLimit: self = .sortLimit
        case .distinct: self = .distinct
        default: return nil
        }
    }

    /// The query's text; `email` is that of some person, who is the `middle` one.
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

    /// The objects themselves are wanted, not only their number.
    var answer: QueryWorkload.Answer {
        switch self {
        case .sort, .sortLimit, .distinct: .rows
        default: .count
        }
    }

    /// What the result is in the order of.
    var order: [(column: PeopleDatabase.Column, isAscending: Bool)] {
        switch self {
        case .sort: [(.city, true), (.age, true)]
        case .sortLimit: [(.score, false)]
        default: []
        }
    }
}

/// Asks one of the queries again and again, and checks what it finds by slower means.
final class PeopleQueryWorkload: QueryWorkload {
    private let query: PeopleQuery

    init(_ setting: BenchSetting, _ query: PeopleQuery) throws(RealmError) {
        self.query = query
        try super.init(setting, try QueryUnderTest("Person:TRUEPREDICATE"), query.answer)
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

    /// Object by object, without kernels and indexes.
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

    /// Neighbours are in order, and the first object is the first of all.
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

/// Counts, sums, averages and extremes of all people, in one pass. One operation is all of that.
final class AggregateWorkload: Workload {
    private static let list = "count,sum(age),avg(score),max(created)"
    private static let enough: UInt64 = 200_000_000

    private let database: Database
    private let snapshot: Snapshot
    private let most: Int
    private var results: [Value] = []
    private var found = 0

    init(_ setting: BenchSetting) throws(RealmError) {
        database = try Database(immutable: setting.file)
        snapshot = database.snapshot()
        most = setting.num
    }

    func setUp() {}

    private func people() throws(RealmError) -> TableInfo {
        guard let info = snapshot.schema.table(named: "Person") else {
            throw .failedCheck("the generated file has no class Person")
        }
        return info
    }

    func run(_ meter: inout Meter) throws(RealmError) {
        let table = try people()
        meter.start()
        var ended = false
        while !ended {
            let aggregation = try Aggregation(Self.list, table)
            let query = try Query("TRUEPREDICATE").bound(to: snapshot.table(table))
            found = try aggregation.run(try QueryPlan(query, in: snapshot), snapshot)
            results = aggregation.results
            let now = meter.lap()
            ended = meter.operations >= most || now >= Self.enough
        }
        meter.stop()
    }

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        if database.hasChanged { throw DatabaseChange.error }
        let sum = try check()
        return RunOutcome(
            version: database.version, objects: found, checksum: UInt64(bitPattern: sum))
    }

    /// The same by reading object by object; returns the sum.
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

    /// Sums of fractions depend on the order of summing, a little.
    private func isNear(_ value: Value, _ expected: Double) -> Bool {
        guard case .double(let x) = value else { return expected == 0 }
        return abs(x - expected) <= 1e-9 * max(1, abs(expected))
    }
}
