import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Free space that a commit caches for the next one of the same process.
@Suite struct CommittedSpaceTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("space.realm")
    }

    private func session(
        creates: Bool = true, isSeparate: Bool = false
    ) throws -> WriteSession {
        var options = WriteSession.Options()
        options.creates = creates
        options.isDurable = false
        options.isSeparate = isSeparate
        return try WriteSession(path: path, options: options)
    }

    private func makeClass(_ session: WriteSession) throws -> TableKey {
        let transaction = try session.begin()
        let table = try transaction.createClass("C", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(table, PropertySpec("n", .int))
        try transaction.commit()
        return table
    }

    private func commit(
        _ session: WriteSession, _ table: TableKey, _ random: inout SeededRandom
    ) throws {
        let transaction = try session.begin()
        try change(transaction, table, &random)
        try transaction.commit()
    }

    private func change(
        _ transaction: WriteTransaction, _ table: TableKey, _ random: inout SeededRandom
    ) throws {
        for _ in 0..<1 + random.next() % 20 {
            let id = Int64(random.next() % 3000)
            if let key = try transaction.find(in: table, primaryKey: .int(id)) {
                if random.next() % 3 == 0 {
                    try transaction.remove(table, key)
                } else {
                    try transaction.set(table, key, 1, .int(Int64(random.next() % 1000)))
                }
            } else {
                let key = try transaction.create(in: table, primaryKey: .int(id))
                try transaction.set(table, key, 1, .int(1 << Int64(random.next() % 60)))
            }
        }
    }

    private static func kept(_ session: WriteSession) -> CommittedSpace? {
        session.database.versions.withLock { $0.space }
    }

    /// The cached free space equals the file's lists, whichever versions are live.
    @Test(arguments: 1...4) func cachedSpaceEqualsTheFile(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let session = try session()
        let table = try makeClass(session)
        var held: [Snapshot] = []
        for _ in 0..<150 {
            try commit(session, table, &random)
            let snapshot = session.database.snapshot()
            let top = try #require(snapshot.state.top)
            let kept = try #require(Self.kept(session))
            #expect(kept.version == snapshot.version)
            for oldest in [0, snapshot.version / 2, snapshot.version - 1, snapshot.version] {
                let read = try FreeSpace(snapshot.lookup, top, oldestReachable: oldest)
                let space = FreeSpace(after: kept, oldestReachable: oldest, .none)
                #expect(space.free == read.free)
                #expect(space.locked == read.locked)
                #expect(space.lists == read.lists)
                #expect(space.logicalSize == read.logicalSize)
            }
            if random.next() % 4 == 0 { held.append(snapshot) }
            if held.count > 3 { held.remove(at: Int(random.next() % 4)) }
        }
        withExtendedLifetime(held) {}
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// A commit that continues from the version of another participant reads that version's list.
    @Test func aCommitOfAnotherWriterDiscardsTheCachedSpace() throws {
        var random = SeededRandom(seed: 9)
        let sessions = [
            try session(isSeparate: true), try session(creates: false, isSeparate: true),
        ]
        let table = try makeClass(sessions[0])
        var held: Snapshot?
        for i in 0..<200 {
            let session = sessions[Int(random.next() % 2)]
            let transaction = try session.begin()
            let top = try #require(transaction.base.top)
            if let kept = Self.kept(session), kept.version != top.version {
                #expect(session.database.takeSpace(of: top) == nil)
                #expect(Self.kept(session) == nil)
            }
            try change(transaction, table, &random)
            try transaction.commit()
            if i % 50 == 20 { held = sessions[0].database.snapshot() }
            if i % 50 == 40 { held = nil }
            if i % 20 == 0 { try ModelRun.audit(IntegrityCheck.run(path: path), "commit \(i)") }
        }
        withExtendedLifetime(held) {}
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// The next commit overwrites the nodes that a transaction spilled before its rollback, and
    /// reads the list from the file again.
    @Test func aRollbackAfterASpillDiscardsTheCachedSpace() throws {
        var random = SeededRandom(seed: 3)
        let session = try session()
        let table = try makeClass(session)
        for _ in 0..<20 {
            try commit(session, table, &random)
            #expect(Self.kept(session) != nil)
            let transaction = try session.begin()
            try change(transaction, table, &random)
            try transaction.spill()
            #expect(Self.kept(session) == nil)
            transaction.rollback()
        }
        try commit(session, table, &random)
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// Long lists are not cached.
    @Test func onlyShortListsAreCached() {
        func space(_ count: Int) -> CommittedSpace {
            let free = (0..<count).map { Extent(start: UInt64(24 + 64 * $0), count: 24) }
            return CommittedSpace(
                FreeSpace(free: free, locked: [], logicalSize: 1 << 30, lists: nil), [],
                version: 2, top: Ref(64))
        }
        #expect(space(1000).isSmall)
        #expect(!space(1 << 18).isSmall)
    }
}
