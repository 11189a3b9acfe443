import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Free lists of older live versions, and the version stamps derived from them.
@Suite struct BackDatingTests {
    private typealias Chunk = FreeSpace.Chunk

    /// Makes a session with changing objects, and snapshots that pin some of its versions.
    private static func versions(
        _ folder: ScratchFolder, seed: UInt64
    ) throws -> (session: WriteSession, held: [Snapshot]) {
        var fanout = Fanout()
        (fanout.clusterLeaf, fanout.tree) = (8, 8)
        let session = try WriteSession(
            path: folder.file("held.realm"), options: .scratch(fanout))
        var random = SeededRandom(seed: seed)
        var held: [Snapshot] = []
        var keys: [ObjectKey] = []
        var table = TableKey.none
        for step in 0..<80 {
            let transaction = try session.begin()
            if step == 0 {
                table = try transaction.createClass("Thing")
                try transaction.addProperty(table, PropertySpec("n", .int))
            }
            for _ in 0..<Int.random(in: 1..<30, using: &random) {
                keys.append(try transaction.create(in: table))
            }
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                let key = keys[Int.random(in: 0..<keys.count, using: &random)]
                let number = Int64.random(in: 0..<1 << 40, using: &random)
                try transaction.set(table, key, 0, .int(number))
            }
            while keys.count > 150 {
                let i = Int.random(in: 0..<keys.count, using: &random)
                try transaction.remove(table, keys.remove(at: i))
            }
            try transaction.commit()
            if Int.random(in: 0..<3, using: &random) == 0 {
                held.append(session.database.snapshot())
            }
        }
        return (session, held)
    }

    /// The oldest stamp, found by comparing with every chunk of every version.
    private static func expected(_ chunk: Chunk, _ older: [(UInt64, UInt64, [Chunk])]) -> UInt64 {
        var stamp = chunk.version
        for (version, size, chunks) in older.reversed() where version < stamp {
            var uncovered: Set<UInt64> = []
            for offset in stride(from: chunk.start, to: min(chunk.end, size), by: 8) {
                uncovered.insert(offset)
            }
            var youngest: UInt64 = 0
            for other in chunks where other.start < chunk.end && other.end > chunk.start {
                youngest = max(youngest, other.version)
                for offset in stride(from: other.start, to: other.end, by: 8) {
                    uncovered.remove(offset)
                }
            }
            guard uncovered.isEmpty, youngest < stamp else { return stamp }
            stamp = youngest
        }
        return stamp
    }

    @Test(arguments: 1...6) func freeSpaceHasItsOldestStamp(_ seed: Int) throws {
        let folder = try ScratchFolder()
        let (session, held) = try Self.versions(folder, seed: UInt64(seed))
        let newest = session.database.snapshot()
        let top = try #require(newest.state.top)
        var older: [(UInt64, UInt64, [Chunk])] = []
        for snapshot in held where snapshot.version < newest.version {
            let top = try #require(snapshot.state.top)
            older.append((top.version, top.logicalSize, try FreeSpace.chunks(snapshot.lookup, top)))
        }
        let lists = FreeSpace.PreviousFreeLists(older.map(\.0)) { (i) throws(RealmError) in
            try FreeSpace.PreviousFreeList(held[i].lookup, held[i].state.top!)
        }
        for chunk in try FreeSpace.chunks(newest.lookup, top) {
            let stamp = try lists.backDatedStamp(of: chunk, among: older.count)
            #expect(stamp == Self.expected(chunk, older))
            // With only the older half of the versions live.
            let half = try lists.backDatedStamp(of: chunk, among: older.count / 2)
            #expect(half == Self.expected(chunk, Array(older.prefix(older.count / 2))))
        }
        withExtendedLifetime(held) {}
        try ModelRun.audit(IntegrityCheck.run(path: folder.file("held.realm")), "at the end")
    }

    /// A stamp is found with the lists of a few versions, however many are live.
    @Test func findingAStampReadsFewLists() throws {
        let versions = (1...10_000).map { UInt64(2 * $0) }
        let lists = FreeSpace.PreviousFreeLists(versions) {
            FreeSpace.PreviousFreeList(empty: versions[$0])
        }
        for start in 0..<100 {
            let chunk = Chunk(start: UInt64(1000 + 64 * start), count: 64, version: 15_001)
            #expect(try lists.backDatedStamp(of: chunk, among: versions.count) == 0)
        }
        #expect(lists.openedCount == 1)
        #expect(lists.position(before: 2) == nil)
        #expect(lists.position(before: 3) == 0)
        #expect(lists.position(before: .max) == 9_999)
    }

    /// An unreadable list proves nothing free.
    @Test func damagedListsKeepStamps() {
        let lists = FreeSpace.PreviousFreeLists([3, 5]) { (_) throws(RealmError) in
            throw .corrupt("damaged", at: Ref(64))
        }
        let chunk = Chunk(start: 128, count: 64, version: 9)
        #expect(lists.stamp(of: chunk) == 9)
        #expect(throws: RealmError.self) { try lists.backDatedStamp(of: chunk, among: 2) }
    }
}
