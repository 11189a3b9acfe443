import Foundation
import Testing

@testable import RealmEngine

/// Counting materialises nothing: it allocates as much for a few hundred rows as for twenty times
/// as many.
@Suite(.serialized) struct QueryAllocationTests {
    /// Rows of the small file, and what the large one has more.
    private static let small = 512
    private static let factor = 20

    private final class Object { var number = 0 }

    @Test func theHookSeesAllocations() throws {
        var kept: [Object] = []
        kept.reserveCapacity(100)
        let found = AllocationCount.of { for _ in 0..<100 { kept.append(Object()) } }
        #expect(try #require(found) >= 100)
    }

    @Test func countingAllocatesNothingPerRow() throws {
        let few = try QueryTestFile(rows: Self.small)
        let many = try QueryTestFile(rows: Self.small * Self.factor)
        for text in [
            "i > 20", "oi == null", "s == 'text 7'", "s BEGINSWITH 'te'", "s CONTAINS[c] 'EXT 1'",
            "d BETWEEN {2.5, 60}", "b == true AND i < 50", "t > 2001-01-01@00:00:00",
            "i > 5 OR s == null", "NOT i IN {1, 2, 3}", "up.i > 30", "ANY kids.i > 40",
            "kids.@count > 1", "i < up.i", "s LIKE 't*1?'",
            "SUBQUERY(kids, $x, $x.i > 3).@count > 0",
        ] {
            let a = try allocations(text, few)
            let b = try allocations(text, many)
            // One set for a table linked to is the only thing that depends on the file.
            #expect(b <= a + 16, "\(text): \(a) allocations, then \(b)")
        }
    }

    private func allocations(_ text: String, _ file: QueryTestFile) throws -> Int {
        let snapshot = try Database(immutable: file.path).snapshot()
        let table = snapshot.table(snapshot.schema.table(named: "Node")!)
        let plan = try QueryPlan(Query(text).bound(to: table), in: snapshot)
        let run = QueryRun(plan, in: snapshot)
        var found = 0
        let count = try AllocationCount.of { found = try run.matchCount() }
        #expect(found > 0, "\(text)")
        return count ?? 0
    }
}
