import Foundation
import Testing

@testable import RealmEngine

/// Conditions made by a program find what the same conditions written as text find.
@Suite struct QueryPredicateTests {
    private func rows(_ query: Query, _ name: String, _ className: String) throws -> [Int64] {
        let path = QueryCases.folder.appending(path: name + ".realm").path
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(snapshot.schema.table(named: className)!)
        let plan = try QueryPlan(query.bound(to: table), in: snapshot)
        return try plan.rows(in: snapshot).keys.map(\.raw)
    }

    private func check(
        _ text: String, _ predicate: QueryPredicate, _ arrangements: [QueryArrangement] = [],
        in name: String = "bulk", _ className: String = "Node"
    ) throws {
        let written = try rows(Query(text), name, className)
        let made = try rows(Query(predicate, arrangements), name, className)
        #expect(made == written, "\(text)")
        #expect(!written.isEmpty, "\(text)")
    }

    @Test func comparisonsOfEveryKind() throws {
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

    @Test func collectionsAndSubqueries() throws {
        try check("kids.@count > 1", .comparison(.count(["kids"]), .greater, .constant(.int(1))))
        try check(
            "ALL kids.k > 2", .comparison(.path(["kids", "k"], .all), .greater, .constant(.int(2))))
        try check(
            "kids.@max.k >= 5",
            .comparison(.reduction(.max, ["kids"], of: "k"), .greaterEqual, .constant(.int(5))))
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

    @Test func arrangements() throws {
        try check(
            "k > 1 SORT(k DESC, id ASC) DISTINCT(k) LIMIT(5)",
            .comparison(.path(["k"]), .greater, .constant(.int(1))),
            [.sort([(["k"], false), (["id"], true)]), .distinct([["k"]]), .limit(5)])
    }

    @Test func mistakesAreReported() throws {
        var deep = QueryPredicate.always(true)
        for _ in 0..<300 { deep = .not(deep) }
        #expect(throws: RealmError.self) { try Query(deep) }
        let unknown = QueryPredicate.comparison(.path(["kidz"]), .equal, .constant(.null))
        do {
            _ = try rows(Query(unknown), "bulk", "Node")
            Issue.record("accepted")
        } catch let error as RealmError {
            #expect(error.message.contains("near: kids"), "\(error.message)")
        }
        let mixed = QueryPredicate.comparison(.path(["k"]), .equal, .constant(.bool(true)))
        do {
            _ = try rows(Query(mixed), "bulk", "Node")
            Issue.record("accepted")
        } catch let error as RealmError {
            #expect(error.kind == .misuse && error.message.contains("an int"), "\(error.message)")
        }
    }
}
