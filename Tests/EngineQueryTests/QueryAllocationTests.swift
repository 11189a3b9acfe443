import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Counting allocates as much for a few hundred rows as for twenty times as many.
///
/// The allocation hook is global and makes retaining unsafe on every other thread, so each test
/// measures in a separate process.
struct QueryAllocationTests {
    @Test func theHookCountsAllocations() async {
        let child = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            var kept: [AllocationTrial.Object] = []
            kept.reserveCapacity(100)
            let found = try AllocationCount.of {
                for _ in 0..<100 { kept.append(AllocationTrial.Object()) }
            }
            print(found, "allocations")
            try AllocationTrial.require(found >= 100, "\(found) allocations for 100 objects")
        }
        print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self))
    }

    @Test func countingAllocatesNothingPerRow() async {
        let child = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) { try AllocationTrial.run() }
        print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self))
    }
}

/// Measurement in the separate process. A failure is thrown, which ends the process with an error.
private enum AllocationTrial {
    /// Number of rows of the small file, and ratio of the large file to it.
    private static let small = 512
    private static let factor = 20

    final class Object { var number = 0 }

    struct Failure: Error, CustomStringConvertible { let description: String }

    static func require(_ holds: Bool, _ figures: String) throws {
        if !holds { throw Failure(description: figures) }
    }

    static func run() throws {
        let few = try QueryTestFile(rows: small)
        let many = try QueryTestFile(rows: small * factor)
        for text in [
            "i > 20", "oi == null", "s == 'text 7'", "s BEGINSWITH 'te'", "s CONTAINS[c] 'EXT 1'",
            "d BETWEEN {2.5, 60}", "b == true AND i < 50", "t > 2001-01-01@00:00:00",
            "i > 5 OR s == null", "NOT i IN {1, 2, 3}", "up.i > 30", "ANY kids.i > 40",
            "kids.@count > 1", "i < up.i", "s LIKE 't*1?'",
            "SUBQUERY(kids, $x, $x.i > 3).@count > 0",
        ] {
            let a = try allocations(text, few)
            let b = try allocations(text, many)
            print("\(text): \(a) allocations, then \(b)")
            // Only the set of a linked table may depend on the size of the file.
            try require(b <= a + 16, "\(text): \(a) allocations, then \(b)")
        }
    }

    private static func allocations(_ text: String, _ file: QueryTestFile) throws -> Int {
        let snapshot = try Database(immutable: file.path).snapshot()
        let table = snapshot.table(snapshot.schema.table(named: "Node")!)
        let plan = try QueryPlan(Query(text).bound(to: table), in: snapshot)
        let run = QueryRun(plan, in: snapshot)
        var found = 0
        let count = try AllocationCount.of { found = try run.matchCount() }
        try require(found > 0, "\(text): \(found) objects")
        return count
    }
}
