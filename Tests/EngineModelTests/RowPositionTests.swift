import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Objects found by index equal those found by the ordered keys.
@Suite struct RowPositionTests {
    private let folder: ScratchFolder
    private let session: WriteSession

    init() throws { (folder, session) = try Self.open(Fanout(clusterLeaf: 4, clusterInner: 4)) }

    private static func open(_ fanout: Fanout) throws -> (ScratchFolder, WriteSession) {
        let folder = try ScratchFolder()
        return (folder, try WriteSession(path: folder.file("a.realm"), options: .scratch(fanout)))
    }

    private func read() throws -> Snapshot {
        try Database(immutable: folder.file("a.realm")).snapshot()
    }

    private func expectEveryPosition(_ snapshot: Snapshot, _ table: TableKey) throws {
        let table = try snapshot.table(table)
        let keys = try table.keys()
        var random = SeededRandom(seed: 5)
        let places = Array(keys.indices)
        let jumps = places.map { _ in random.below(keys.count) }
        for i in places + places.reversed() + jumps {
            #expect(try table.row(at: i)?.key == keys[i], "\(i)")
        }
        #expect(try table.row(at: keys.count) == nil)
        #expect(try table.row(at: -1) == nil)
    }

    @Test(arguments: [0, 1, 4, 5, 16, 17, 300])
    func positionsAreFoundInTreesOfEverySize(count: Int) throws {
        let first = try session.begin()
        let table = try first.createClass("A")
        for _ in 0..<count { _ = try first.create(in: table) }
        try first.commit()
        try expectEveryPosition(read(), table)
    }

    @Test func positionsAreFoundInTreesWithGaps() throws {
        let first = try session.begin()
        let (table, other) = (try first.createClass("A"), try first.createClass("B"))
        var random = SeededRandom(seed: 11)
        var keys: [ObjectKey] = []
        let none = UnsafeBufferPointer<Value>(start: nil, count: 0)
        for i in 0..<400 {
            let key = i < 200 ? nil : ObjectKey(Int64(1000 + random.below(1 << 40)))
            keys.append(try first.create(in: table, values: none, key: key))
            _ = try first.create(in: other)
        }
        for key in keys where random.below(3) == 0 { try first.remove(table, key) }
        try first.commit()
        let snapshot = try read()
        try expectEveryPosition(snapshot, table)
        // Cached leaves belong to one class.
        let (a, b) = (try snapshot.table(table), try snapshot.table(other))
        let (ofA, ofB) = (try a.keys(), try b.keys())
        for i in 0..<100 {
            #expect(try a.row(at: i)?.key == ofA[i])
            #expect(try b.row(at: i)?.key == ofB[i])
        }
    }

    /// In an open transaction, no leaf is cached that an edit would change.
    @Test func positionsEqualTheOpenTransaction() throws {
        let first = try session.begin()
        let table = try first.createClass("A")
        var keys: [ObjectKey] = []
        for _ in 0..<40 { keys.append(try first.create(in: table)) }
        for round in 0..<20 {
            let snapshot = try first.snapshot()
            let rows = try snapshot.table(table)
            for i in [0, 5, 6, keys.count - 1] {
                #expect(try rows.row(at: i)?.key == keys[i], "\(round) \(i)")
            }
            try first.remove(table, keys.remove(at: 5))
        }
        try first.commit()
    }

    #if DEBUG
        /// Number of nodes opened by `body`.
        private func opened(_ snapshot: Snapshot, _ body: () throws -> Void) rethrows -> Int {
            let state = snapshot.memory.lookup.state
            let before = state.pointee.opened
            try body()
            return state.pointee.opened - before
        }

        /// An index is found by a descent, and the next one from the cached leaf: only the leaves
        /// found are opened, each once.
        @Test func positionsOpenFewNodes() throws {
            let (folder, session) = try Self.open(Fanout())
            let first = try session.begin()
            let table = try first.createClass("A")
            let count = 300 * 256
            for _ in 0..<count { _ = try first.create(in: table) }
            try first.commit()
            let snapshot = try Database(immutable: folder.file("a.realm")).snapshot()
            let rows = try snapshot.table(table)
            let descent = try opened(snapshot) { _ = try rows.row(at: count * 2 / 3) }
            #expect(descent < 10, "\(descent)")
            let walk = try opened(snapshot) { for i in 0..<count { _ = try rows.row(at: i) } }
            #expect(walk < 2 * 300, "\(walk)")
            let back = try opened(snapshot) {
                for i in (0..<count).reversed() { _ = try rows.row(at: i) }
            }
            #expect(back < 3 * 300, "\(back)")
        }

        /// With objects missing in every leaf, only the headers of the other leaves are read.
        @Test func positionsAmongGapsReadOnlyHeaders() throws {
            let (folder, session) = try Self.open(Fanout())
            let first = try session.begin()
            let table = try first.createClass("A")
            var keys: [ObjectKey] = []
            for _ in 0..<100 * 256 { keys.append(try first.create(in: table)) }
            for key in keys where key.raw % 256 == 7 { try first.remove(table, key) }
            try first.commit()
            let snapshot = try Database(immutable: folder.file("a.realm")).snapshot()
            let rows = try snapshot.table(table)
            let descent = try opened(snapshot) { _ = try rows.row(at: 90 * 255) }
            #expect(descent < 2 * 100 + 10, "\(descent)")
            let next = try opened(snapshot) { _ = try rows.row(at: 91 * 255) }
            #expect(next < 4, "\(next)")
        }
    #endif
}
