import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares conditions made by a program with the same conditions as text.
@Suite struct QueryConditionTests {
    private func rows(_ query: Query, _ name: String, _ className: String) throws -> [Int64] {
        let path = QueryCases.folder.appending(path: name + ".realm").path
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(snapshot.schema.table(named: className)!)
        let plan = try QueryPlan(query.bound(to: table), in: snapshot)
        return try plan.rows(in: snapshot).keys.map(\.raw)
    }

    private func check(
        _ text: String, _ condition: QueryCondition, _ clauses: [QueryClause] = [],
        in name: String = "bulk", _ className: String = "Node"
    ) throws {
        let written = try rows(Query(text), name, className)
        let made = try rows(Query(condition, clauses), name, className)
        #expect(made == written, "\(text)")
        #expect(!written.isEmpty, "\(text)")
    }

    @Test func comparisonsEqualTheirTextForm() throws {
        try check("k > 5", .comparison(.path(["k"]), .greater, .constant(.int(5))))
        try check(
            "s CONTAINS[c] 'S1' AND NOT k == 3",
            .and([
                .comparison(.path(["s"]), .contains, .constant(.string("S1")), foldsCase: true),
                .not(.comparison(.path(["k"]), .equal, .constant(.int(3)))),
            ]))
        try check(
            "k IN {1, 2} OR id BETWEEN {10, 20}",
            .or([
                .comparison(.path(["k"]), .in, .list([.int(1), .int(2)], nil)),
                .between(.path(["id"]), .int(10), .int(20)),
            ]))
        try check(
            "k + 1 < id / 100",
            .comparison(
                .arithmetic(.path(["k"]), .add, .constant(.int(1))), .less,
                .arithmetic(.path(["id"]), .divide, .constant(.int(100)))))
        try check("up.k == k", .comparison(.path(["up", "k"]), .equal, .path(["k"])))
        try check("TRUEPREDICATE", .always(true))
    }

    @Test func collectionsAndSubqueriesEqualTheirTextForm() throws {
        try check("kids.@count > 1", .comparison(.count(["kids"]), .greater, .constant(.int(1))))
        try check(
            "ALL kids.k > 2", .comparison(.path(["kids", "k"], .all), .greater, .constant(.int(2))))
        try check(
            "kids.@max.k >= 5",
            .comparison(.aggregate(.max, ["kids"], of: "k"), .greaterEqual, .constant(.int(5))))
        try check(
            "SUBQUERY(kids, $x, $x.k > 1 AND SUBQUERY(kids, $y, $y.k > 0).@count >= 0).@count > 0",
            .comparison(
                .subqueryCount(
                    ["kids"],
                    .and([
                        .comparison(.path(["k"]), .greater, .constant(.int(1))),
                        .comparison(
                            .subqueryCount(
                                ["kids"],
                                .comparison(.path(["k"]), .greater, .constant(.int(0)))),
                            .greaterEqual, .constant(.int(0))),
                    ])), .greater, .constant(.int(0))))
        try check(
            "@links.Node.up.@count > 1",
            .comparison(.count(["@links", "Node", "up"]), .greater, .constant(.int(1))))
    }

    @Test func clausesEqualTheirTextForm() throws {
        try check(
            "k > 1 SORT(k DESC, id ASC) DISTINCT(k) LIMIT(5)",
            .comparison(.path(["k"]), .greater, .constant(.int(1))),
            [
                .sort([QuerySortKey("k", isAscending: false), QuerySortKey("id")]),
                .distinct([QueryDistinctKey(.path("k"))]), .limit(5),
            ])
    }

    /// Programs can sort by counts, for which the text form has no syntax.
    @Test func resultsCanBeSortedByCounts() throws {
        func found(_ condition: QueryCondition, _ clauses: [QueryClause]) throws -> [Int64] {
            try rows(Query(condition, clauses), "bulk", "Node")
        }
        let count = QueryOperand.count(["kids"])
        let all = try found(.always(true), [])
        var byCount: [Int64] = []
        for n in 0..<20 {
            byCount += try found(.comparison(count, .equal, .constant(.int(Int64(n)))), [])
        }
        #expect(byCount.count == all.count)
        let key = QuerySortKey(count)
        #expect(try found(.always(true), [.sort([key])]) == byCount)
        #expect(try found(.always(true), [.sort([key]), .limit(40)]) == Array(byCount.prefix(40)))
        let back = QuerySortKey(.count(["@links", "Node", "up"]), isAscending: false)
        let most = try found(.always(true), [.sort([back]), .limit(1)])
        #expect(
            try found(.comparison(back.operand, .greaterEqual, .constant(.int(1))), [])
                .contains(most[0]))
        do {
            _ = try found(.always(true), [.sort([QuerySortKey("kids")])])
            Issue.record("accepted")
        } catch let error as RealmError {
            #expect(error.message.hasPrefix("this path cannot"), "\(error.message)")
        }
        #expect(throws: RealmError.self) {
            try rows(Query("TRUEPREDICATE SORT(@links.Node.up.k ASC)"), "bulk", "Node")
        }
    }

    @Test func invalidConditionsAreReported() throws {
        var deep = QueryCondition.always(true)
        for _ in 0..<300 { deep = .not(deep) }
        #expect(throws: RealmError.self) { try Query(deep) }
        let unknown = QueryCondition.comparison(.path(["kidz"]), .equal, .constant(.null))
        do {
            _ = try rows(Query(unknown), "bulk", "Node")
            Issue.record("accepted")
        } catch let error as RealmError {
            #expect(error.message.contains("near: kids"), "\(error.message)")
        }
        let mixed = QueryCondition.comparison(.path(["k"]), .equal, .constant(.bool(true)))
        do {
            _ = try rows(Query(mixed), "bulk", "Node")
            Issue.record("accepted")
        } catch let error as RealmError {
            #expect(error.kind == .misuse && error.message.contains("an int"), "\(error.message)")
        }
    }
}

/// A comparison of a property with a value is bound by a fast path. It has the same results and
/// errors as the general binder.
@Suite struct QueryShortcutTests {
    private static let values: [QueryArgument] = [
        .null, .bool(true), .int(3), .int(.max), .float(2.5), .double(3), .double(.infinity),
        .double(.nan), .string("s3"), .string("12"), .string("\u{C9}t\u{E9}"), .string(""),
        .binary([0xFF, 0x41]), .timestamp(Timestamp(seconds: 7, nanoseconds: 1)),
        .decimal(Decimal128(3)), .objectID(ObjectID(high: 1, low: 2)),
        .uuid(UUIDValue(high: 1, low: 2)),
        .link(ObjectLink(table: TableKey(0), key: ObjectKey(1))),
        .object(className: "Node", primaryKey: .int(1)), .text("3"), .list([.int(1), .int(2)]),
    ]
    private static let relations: [QueryRelation] = [
        .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual, .in, .beginsWith, .endsWith,
        .contains, .like, .text,
    ]

    private func outcome(
        _ snapshot: Snapshot, _ table: Table, _ bound: () throws -> BoundQuery
    ) throws -> String {
        do {
            snapshot.beginWalk()
            let plan = try QueryPlan(bound(), in: snapshot)
            let rows = try plan.rows(in: snapshot).keys.map(\.raw)
            #expect(try plan.first(in: snapshot)?.raw == rows.first)
            return "\(rows)"
        } catch let error as RealmError {
            return "\(error.code) \(error.reason) \(error.message)"
        }
    }

    @Test func shortcutsEqualParsedQueries() throws {
        let file = try QueryTestFile(rows: 60)
        let snapshot = try Database(immutable: file.path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Node")))
        for name in table.info.columns.map(\.name) + ["nothing", ""] {
            for relation in Self.relations {
                for value in Self.values {
                    for folds in [false, true] {
                        let condition = QueryCondition.comparison(
                            .property(name), relation, .constant(value), foldsCase: folds)
                        let short = try outcome(snapshot, table) {
                            try Query(condition).bound(to: table)
                        }
                        let general = try outcome(snapshot, table) {
                            var binder = QueryBinder(
                                QuerySource(text: []), arguments: [], aliases: KeyPathAliases(),
                                table: table)
                            return try binder.bind(QueryTree(condition: condition))
                        }
                        #expect(short == general, "\(name) \(relation) \(value) \(folds)")
                    }
                }
            }
        }
    }

    @Test func aRunReturnsTheFirstObjectRepeatedly() throws {
        let file = try QueryTestFile(rows: 600)
        let snapshot = try Database(immutable: file.path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Node")))
        for text in ["i == 3", "i == 99 AND id > 300", "i == 1000", "s ENDSWITH '9'", "id == 7"] {
            let plan = try QueryPlan(Query(text).bound(to: table), in: snapshot)
            let wanted = try plan.rows(in: snapshot).keys.first
            let run = QueryRun(plan, in: snapshot)
            for _ in 0..<4 { #expect(try run.first() == wanted, "\(text)") }
        }
    }
}
