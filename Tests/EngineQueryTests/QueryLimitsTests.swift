import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Expensive queries either run in bounded time and memory, or are rejected with an error that
/// names the limit.
@Suite struct QueryLimitsTests {
    /// Two objects that each link to both: a path of n steps reaches 2^n objects, counting
    /// repetitions.
    private final class Cycle: Sendable {
        let path = FileManager.default.temporaryDirectory.path + "/cycle-\(UUID().uuidString).realm"

        init() throws {
            let transaction = try WriteSession(path: path, options: .scratch()).begin()
            let node = try transaction.createClass("Node", primaryKey: PropertySpec("i", .int))
            var friends = PropertySpec("friends", .link)
            (friends.target, friends.collection) = (node, .list)
            try transaction.addProperty(node, friends)
            let keys = try (0..<2).map {
                try transaction.create(in: node, primaryKey: .int(Int64($0)))
            }
            for key in keys {
                let links = keys.map { Value.link(ObjectLink(table: node, key: $0)) }
                try transaction.setElements(node, key, 1, links)
            }
            try transaction.commit()
        }

        deinit {
            for end in ["", ".lock", ".note", ".management"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }

        func count(_ text: String) throws(RealmError) -> Int {
            let snapshot = try Database(immutable: path).snapshot()
            let table = snapshot.table(snapshot.schema.table(named: "Node")!)
            let bound = try Query(text).bound(to: table)
            var counts: [Int] = []
            for bits in 0..<4 {
                var options = QueryOptions()
                options.usesKernels = bits & 1 == 0
                options.evaluatesPathsFromFarEnd = bits & 2 == 0
                counts.append(
                    try QueryPlan(bound, in: snapshot, options: options).rows(in: snapshot).keys
                        .count)
            }
            #expect(Set(counts).count == 1, "\(text): \(counts)")
            return counts[0]
        }
    }

    private func friends(_ steps: Int) -> String {
        Array(repeating: "friends", count: steps).joined(separator: ".")
    }

    private func failure(_ cycle: Cycle, _ text: String) -> RealmError? {
        do throws(RealmError) {
            _ = try cycle.count(text)
            return nil
        } catch { return error }
    }

    @Test(arguments: [3, 12, 60, 199])
    func cyclicPathsVisitEachObjectOnce(_ steps: Int) throws {
        let cycle = try Cycle()
        let path = friends(steps)
        for (text, count) in [
            ("\(path).i == 1", 2), ("ALL \(path).i == 1", 0), ("NONE \(path).i == 1", 0),
            ("ALL \(path).i < 2", 2), ("NONE \(path).i == 7", 2), ("ANY \(path).i != i", 2),
            ("1 IN \(path).i", 2), ("ANY \(path).i IN {0, 5}", 2), ("\(path).@count == 2", 2),
            ("\(path).i + 1 == 2", 2),
            ("ANY \(path) == obj('Node', 1)", 2), ("NONE \(path) == obj('Node', 1)", 0),
            ("\(path).@max.i == 1", 2), ("\(path).@avg.i == 0.5", 2),
        ] {
            #expect(try cycle.count(text) == count, "\(text)")
        }
    }

    @Test(arguments: [1, 9, 10, 11, 12, 40, 62, 63, 64, 199])
    func multiplicitiesOfCyclicPathsSaturate(_ steps: Int) throws {
        let cycle = try Cycle()
        let path = friends(steps)
        let each: Int64 = steps > 63 ? .max : steps == 63 ? 1 << 62 : 1 << (steps - 1)
        let all = each.addingSaturated(each)
        #expect(try cycle.count("SUBQUERY(\(path), $x, $x.i == 1).@count == \(each)") == 2)
        #expect(try cycle.count("SUBQUERY(\(path), $x, TRUEPREDICATE).@count == \(all)") == 2)
        if steps < 60 { #expect(try cycle.count("\(path).@sum.i == \(each)") == 2) }
        if steps < 60 { #expect(try cycle.count("\(path).@links.@count == \(all * 2)") == 2) }
    }

    @Test func nestedSubqueriesAreEvaluatedOncePerObject() throws {
        let cycle = try Cycle()
        for depth in [2, 30, 190] {
            var text = "i == 1"
            for level in 0..<depth { text = "SUBQUERY(friends, $x\(level), \(text)).@count > 0" }
            #expect(try cycle.count(text) == 2)
            var limits = "i == 1"
            for level in 0..<depth {
                limits = "SUBQUERY(friends, $x\(level), \(limits)).@count BETWEEN {1, 2}"
            }
            #expect(try cycle.count(limits) == 2)
        }
    }

    @Test func errorsNameTheExceededLimit() throws {
        let cycle = try Cycle()
        let sorts = Array(repeating: "i ASC", count: QueryLimits.sortKeys + 1)
        for text in [
            "\(friends(QueryLimits.steps)).i == 1", "\(friends(100_000)).i == 1",
            "SUBQUERY(\(friends(100_000)), $x, $x.i == 1).@count > 0",
            "TRUEPREDICATE SORT(\(sorts.joined(separator: ", ")))",
            "TRUEPREDICATE DISTINCT(\(friends(100_000)))",
            // Comparing element by element would require all reached objects in order.
            "\(friends(60)).i == \(friends(60)).i",
        ] {
            let error = try #require(failure(cycle, text), "\(text.prefix(80))")
            #expect(error.kind == .misuse && error.code == "LimitExceeded", "\(error.message)")
            #expect(error.message.contains("limit is"), "\(error.message)")
        }
        let deep = String(repeating: "(", count: 100_000)
        #expect(failure(cycle, deep)?.message.contains("\(QueryLimits.depth) levels") == true)
    }

    /// The maximum depth, on secondary threads, which have smaller stacks.
    @Test func theDeepestQueriesRunOnSmallStacks() throws {
        let cycle = try Cycle()
        var texts: [String] = []
        let depth = QueryLimits.depth - 2
        for (open, close) in [("(", ")"), ("NOT ", ""), ("NOT (", ")"), ("(i == 0 OR ", ")")] {
            let levels = open == "NOT (" ? depth / 2 : depth
            texts.append(
                String(repeating: open, count: levels) + "i == 1"
                    + String(repeating: close, count: levels))
        }
        texts.append(
            String(repeating: "(", count: depth) + "i"
                + String(repeating: " + 0)", count: depth) + " == 1")
        var nested = "ANY \(friends(QueryLimits.steps - 1)).i == 1"
        for level in 0..<depth { nested = "SUBQUERY(friends, $x\(level), \(nested)).@count > 0" }
        texts.append(nested)
        let all = texts
        let answers = LockedValue<[Int]>([])
        Threads.run(3) { _ in
            for text in all {
                let count = try? cycle.count(text)
                answers.withLock { $0.append(count ?? -1) }
            }
        }
        #expect(answers.withLock { $0.count } == 3 * all.count)
        #expect(answers.withLock { $0.allSatisfy { $0 > 0 } })
    }

    @Test func regionsHaveAMaximumNumberOfPoints() throws {
        let path = QueryCases.folder.appending(path: "places.realm").path
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Place")))
        let points = (0...QueryLimits.points).map { "[\(Double($0) / 1000), 1.0]" }
        do throws(RealmError) {
            let ring = points.joined(separator: ",")
            _ = try Query("at geowithin geopolygon({\(ring)})").bound(to: table)
            Issue.record("accepted")
        } catch { #expect(error.message.contains("\(QueryLimits.points) points")) }
    }
}
