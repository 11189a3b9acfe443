import Foundation
import Synchronization
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Sharing of derived nodes among readers, and the number of copies.
@Suite struct LegacyReadingTests {
    private static func file(_ name: String) -> String {
        Fixtures.own.appending(path: "legacy/\(name).realm").path
    }

    /// Threads that start at the same time share one set of nodes.
    @Test func threadsShareConvertedNodes() throws {
        for name in ["f9-sdk-compacted", "f3-core", "f9-enum-1010-keys"] {
            let expected = try Self.digest(Database(immutable: Self.file(name)))
            let shared = try Database(immutable: Self.file(name))
            let digests = Mutex<[UInt64]>([])
            Threads.run(4) { _ in
                let digest = try? Self.digest(shared)
                digests.withLock { $0.append(digest ?? 0) }
            }
            #expect(digests.withLock { $0 } == [expected, expected, expected, expected])
        }
    }

    private static func digest(_ database: Database) throws -> UInt64 {
        let snapshot = database.snapshot()
        var sum: UInt64 = 0
        for info in snapshot.schema.tables {
            sum = sum &* 31 &+ (try ContentDigest(snapshot).digest(info))
        }
        return sum
    }

    /// If more versions are open than there are parts of the address range, an error is thrown;
    /// parts are released again.
    @Test func addressSpaceIsReleased() throws {
        let file = try MappedFile(path: Self.file("f3-core"))
        func open() throws -> Database {
            let database = try Database(file)
            _ = try Self.digest(database)
            return database
        }
        do {
            let held = try (0..<4).map { _ in try open() }
            #expect(Thrown.error { _ = try open() }?.reason == "too-many-versions")
            withExtendedLifetime(held) {}
        }
        _ = try open()
    }

    /// A query opens only columns it uses, in place if their packing is the current one.
    @Test func aQueryOpensOnlyTheColumnsItUses() throws {
        let database = try Database(immutable: Self.file("historic-f2-indexed-1000rows"))
        let snapshot = database.snapshot()
        let info = try #require(snapshot.schema.tables.first)
        let numbers = try #require(info.columns.firstIndex { $0.type == .int })
        let scan = snapshot.table(info).scan(columns: [numbers])
        var rows = 0
        while try scan.next() {
            #expect(scan.count <= 256)
            rows += scan.count
        }
        #expect(rows == 1000)
        let legacy = try #require(snapshot.state.legacy)
        let made = legacy.copiesEnd.load(ordering: .relaxed)
        // Only cluster leaves and the node above them.
        #expect(made - legacy.copiesStart.load(ordering: .relaxed) < 1024)
    }

    /// A vector is inside one leaf of 1000 rows, and no row is lost at the boundaries.
    @Test func vectorsDoNotCrossLeaves() {
        for (rows, leaf) in [
            (0, nil), (1, nil), (257, 1000), (1000, 1000), (1100, 1000), (5026, 1000), (999, 4),
            (70_000, 65_536),
        ] as [(Int, Int?)] {
            let grid = LegacyGrid(rows: rows, leaf: leaf)
            var next = 0
            for vector in 0..<grid.vectors {
                let part = grid.rows(of: vector)
                #expect(part.lowerBound == next && part.count <= 256)
                #expect(!part.isEmpty || rows == 0)
                if let leaf, leaf >= 256, !part.isEmpty {
                    #expect(part.lowerBound / leaf == (part.upperBound - 1) / leaf)
                }
                next = part.upperBound
            }
            #expect(next == rows && grid.start(grid.vectors) == rows)
        }
    }
}
