import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Functions of one value in conditions, SORT keys and groups of the extended dialect.
@Suite struct FunctionQueryTests {
    private static let day: Int64 = 86_400
    /// 2024-02-28T23:30:00Z; later rows have the same time on the following days.
    private static let first: Int64 = 1_709_163_000

    private let scratch = ScratchDatabase()

    /// Row `i` has day `i`; the last row has no date.
    private func database(_ count: Int = 60) throws -> Database {
        var options = WriteSession.Options()
        (options.creates, options.isDurable) = (true, false)
        let session = try WriteSession(path: scratch.path, options: options)
        let change = try session.begin()
        let table = try change.createClass("Event")
        var date = PropertySpec("date", .timestamp)
        date.isOptional = true
        try change.addProperty(table, date)
        try change.addProperty(table, PropertySpec("n", .int))
        try change.addProperty(table, PropertySpec("x", .double))
        var dates = PropertySpec("dates", .timestamp)
        dates.collection = .list
        try change.addProperty(table, dates)
        var link = PropertySpec("next", .link)
        link.target = table
        try change.addProperty(table, link)
        var last: ObjectKey?
        for i in 0..<count {
            let key = try change.create(in: table)
            let time = Value.timestamp(
                Timestamp(seconds: Self.first + Int64(i) * Self.day, nanoseconds: 5))
            if i < count - 1 {
                try change.set(table, key, 0, time)
                try change.setElements(
                    table, key, 3, [time, .timestamp(Timestamp(seconds: 0, nanoseconds: 0))])
            }
            try change.set(table, key, 1, .int(Int64(i) - 25))
            try change.set(table, key, 2, .double(Double(i) / 4))
            if let last {
                try change.set(table, key, 4, .link(ObjectLink(table: table, key: last)))
            }
            last = key
        }
        try change.commit()
        return try Database(immutable: scratch.path)
    }

    private func rows(
        _ text: String, _ database: Database, zone: ZoneRules = .utc, way: QueryOptions = .init()
    ) throws -> [Int64] {
        let snapshot = database.snapshot()
        let info = try #require(database.schema.table(named: "Event"))
        var query = try Query(text, dialect: .extended)
        query.zone = zone
        let plan = try QueryPlan(query.bound(to: snapshot.table(info)), in: snapshot, options: way)
        return try plan.rows(in: snapshot).keys.map(\.raw)
    }

    @Test(arguments: [
        ("day(date) == '2024-02-29'", 1...1), ("month(date) == '2024-02'", 0...1),
        ("quarter(date) == '2024-Q2'", 33...58), ("week(date) == '2024-W10'", 5...11),
        ("hour(date) == '2024-03-01T23'", 2...2), ("year(date) == null", 59...59),
        ("floor(n, 10) == -30", 0...4), ("floor(n, 10) == -10", 15...24),
        ("floor(x, 2.5) == 2.5", 10...19),
        ("floor(x, 1) == 3", 12...15), ("month(date) < '2024-03'", 0...1),
        ("day(next.date) == '2024-02-28'", 1...1), ("ANY day(dates) == '2024-03-01'", 2...2),
        ("floor(n, 10) + 5 == -25", 0...4),
        ("weekday(date) == 4 AND day(date) < '2024-03-01'", 1...1),
    ])
    func conditionsSelectTheExpectedObjects(_ text: String, _ expected: ClosedRange<Int64>) throws {
        let database = try database()
        for way in QueryOptions.ways {
            #expect(try rows(text, database, way: way) == Array(expected))
        }
    }

    @Test func daysDependOnTheTimeZone() throws {
        let database = try database()
        let east = try #require(ZoneRules(offset: "+01:00"))
        #expect(try rows("day(date) == '2024-02-29'", database) == [1])
        #expect(try rows("day(date) == '2024-02-29'", database, zone: east) == [0])
        #expect(try rows("day(date) == '2024-02-29'", database) == [1])
    }

    @Test func sortAndDistinctAcceptFunctions() throws {
        let database = try database()
        let snapshot = database.snapshot()
        let info = try #require(database.schema.table(named: "Event"))
        let month = try #require(try QueryOperand.function("month(date)"))
        let query = try Query(
            "TRUEPREDICATE", [.distinct([QueryDistinctKey(month)])], dialect: .extended)
        let plan = try QueryPlan(query.bound(to: snapshot.table(info)), in: snapshot)
        #expect(try plan.rows(in: snapshot).keys.map(\.raw) == [0, 2, 33, 59])
        let weekday = try #require(try QueryOperand.function("weekday(date)"))
        let sorted = try Query(
            "n < -20", [.sort([QuerySortKey(weekday)])], dialect: .extended)
        let order = try QueryPlan(sorted.bound(to: snapshot.table(info)), in: snapshot)
        // From a Wednesday to a Sunday.
        #expect(try order.rows(in: snapshot).keys.map(\.raw) == [0, 1, 2, 3, 4])
    }

    @Test func nowIsTheTimeOfEvaluation() throws {
        let database = try database()
        #expect(try rows("date < now()", database).count == 59)
        #expect(try rows("date > now() - 7d", database) == [])
        #expect(try rows("date > now() -1000000w + 1s", database).count == 59)
        #expect(try rows("now() > date", database).count == 59)
    }

    @Test(arguments: [
        "day(n) == '2'", "floor(date, 1) == 1", "floor(n, 0) == 1", "floor(n, -1) == 1",
        "floor(n) == 1",
        "day(2024-01-01@00:00:00) == '2'", "day() == '2'", "day(date == '2'",
        "ANY day(date) == '2'",
        "date > now() - 99999999999999999w", "day(day(date)) == '2'", "now(date) == date",
    ])
    func invalidFunctionsAreRefused(_ text: String) throws {
        let database = try database()
        #expect(throws: RealmError.self) { try rows(text, database) }
    }

    /// In the SDKs' dialect these words are names of properties.
    @Test func theDialectOfTheSDKsHasNoFunctions() {
        for text in ["day(date) == 'x'", "date > now()", "date > 7d"] {
            #expect(throws: RealmError.self) { try Query(text) }
        }
    }
}
