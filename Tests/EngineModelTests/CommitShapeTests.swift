import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Number and location of a commit's writes, and data that a handle reuses from the previous
/// version.
@Suite struct CommitShapeTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("shape.realm")
    }

    private func open(
        creates: Bool = false, _ wrap: (FileDevice) -> any StorageDevice = { $0 }
    ) throws -> WriteSession {
        var options = WriteSession.Options()
        options.creates = creates
        options.isDurable = true
        options.isSeparate = true
        return try WriteSession(path: path, options: options, wrap: wrap)
    }

    private func makeClass(_ session: WriteSession, _ names: String...) throws -> TableKey {
        let transaction = try session.begin()
        let table = try transaction.createClass("C", primaryKey: PropertySpec("id", .int))
        for name in names { try transaction.addProperty(table, PropertySpec(name, .int)) }
        try transaction.commit()
        return table
    }

    private func insert(_ session: WriteSession, _ table: TableKey, _ ids: Range<Int>) throws {
        let transaction = try session.begin()
        for id in ids { _ = try transaction.create(in: table, primaryKey: .int(Int64(id))) }
        try transaction.commit()
    }

    private func audit() throws {
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    // MARK: Writes

    /// The nodes and lists of a commit take one or two writes, in addition to two for the header.
    @Test func aSmallCommitTakesOneOrTwoWrites() throws {
        var device: RecordingDevice?
        let session = try open(creates: true) {
            device = RecordingDevice($0)
            return device!
        }
        let table = try makeClass(session, "n")
        var parts: [Int] = []
        for id in 0..<600 {
            device!.calls = []
            try insert(session, table, id..<id + 1)
            // The first commits also write the format of the header slots and grow the file.
            if id < 10 { continue }
            let writes = device!.calls.compactMap { call -> (Int, Int)? in
                guard case .write(let offset, let bytes) = call else { return nil }
                return (offset, bytes.count)
            }
            parts.append(writes.count - 2)
            #expect(writes.suffix(2).map { $0.1 } == [8, 1], "commit \(id): \(writes)")
            #expect(writes.last!.0 == 23)
        }
        #expect(parts.reduce(0, +) < 2 * parts.count, "\(parts)")
        try audit()
    }

    @Test func randomUpdatesReuseSpace() throws {
        let session = try open(creates: true)
        let table = try makeClass(session, "a", "b", "c", "d")
        try insert(session, table, 0..<8000)
        var random = SeededRandom(seed: 11)
        for _ in 0..<150 {
            let transaction = try session.begin()
            for _ in 0..<25 {
                let id = Value.int(Int64(random.next() % 8000))
                let key = try #require(try transaction.find(in: table, primaryKey: id))
                for column in 1...4 {
                    let value = Int64(bitPattern: random.next())
                    try transaction.set(table, key, column, .int(value))
                }
            }
            try transaction.commit()
        }
        let space = try session.space()
        let used = space.logicalSize - space.freeBytes - space.pinnedBytes
        #expect(space.logicalSize < 5 * used, "\(space)")
        try audit()
    }

    // MARK: Rows appended

    /// Batches that do not end with leaves, with spills when due.
    @Test func appendedRowsFillLeaves() throws {
        let session = try open(creates: true)
        let table = try makeClass(session)
        let first = try session.begin()
        try first.addProperty(table, PropertySpec("bytes", .binary))
        try first.commit()
        let transaction = try session.begin()
        let info = try #require(session.database.schema.table(table))
        let bytes = [UInt8](repeating: 7, count: 2000)
        var (id, spills) = (0, 0)
        while id < 6000 {
            let batch = RowBatch(info, capacity: 500)
            for _ in 0..<500 {
                bytes.withUnsafeBytes { bytes in
                    let view = ByteView(bytes.baseAddress!, count: bytes.count)
                    let row = [Value.int(Int64(id)), .binary(view)]
                    row.withUnsafeBufferPointer { batch.append($0) }
                }
                id += 1
            }
            #expect(try transaction.create(batch))
            guard transaction.isSpillDue else { continue }
            try transaction.spill()
            #expect(!transaction.isSpillDue)
            spills += 1
        }
        #expect(spills > 0)
        try transaction.commit()
        let rows = try session.database.snapshot().table(table)
        #expect(try rows.count() == id)
        var walk = ClusterTree(space: rows.snapshot.walk, root: rows.info.root).leaves()
        var leaves = 0
        while try walk.next() != nil { leaves += 1 }
        // All leaves are full, except the last one and those before a spill.
        #expect(leaves <= id / 256 + 1 + spills)
        try audit()
    }

    // MARK: Consecutive versions

    private func expectSame(_ session: WriteSession, _ when: String) throws {
        let known = SchemaFacts(session.database.schema)
        #expect(try known == SchemaFacts(readingAgain: session.database), "\(when)")
    }

    @Test func schemaChangesOfOtherSessionsAreRead() throws {
        let first = try open(creates: true)
        let table = try makeClass(first, "n", "m")
        let second = try open()
        var sessions = [first, second]
        let edits: [(String, (WriteTransaction) throws -> Void)] = [
            ("objects", { _ = try $0.create(in: table, primaryKey: .int(1)) }),
            ("index", { try $0.setIndex(table, 1, .general) }),
            ("objects again", { _ = try $0.create(in: table, primaryKey: .int(2)) }),
            ("another class", { _ = try $0.createClass("D") }),
            ("property", { try $0.addProperty(table, PropertySpec("x", .string)) }),
            ("version", { try $0.setSchemaVersion(7) }),
            ("no index", { try $0.setIndex(table, 1, .none) }),
            ("property renamed", { try $0.renameProperty(table, 1, to: "k") }),
            ("optional", { _ = try $0.setOptional(table, 2, true) }),
            ("class renamed", { try $0.renameClass($0.table(named: "D")!, to: "E") }),
            ("property removed", { try $0.removeProperty(table, 1) }),
            ("class removed", { try $0.removeClass($0.table(named: "E")!) }),
            ("class in its place", { _ = try $0.createClass("F") }),
            ("version again", { try $0.setSchemaVersion(8) }),
            ("objects at last", { _ = try $0.create(in: table, primaryKey: .int(3)) }),
        ]
        for (what, edit) in edits {
            // One session is idle for a while, in which the versions in between are freed.
            for rounds in [0, 3] {
                let abandoned = try sessions[0].begin()
                try edit(abandoned)
                abandoned.rollback()
                try expectSame(sessions[0], "\(what), taken back")
                for round in 0..<rounds {
                    try insert(sessions[0], table, 100 + round..<101 + round)
                    let transaction = try sessions[0].begin()
                    let key = try transaction.find(
                        in: table, primaryKey: .int(Int64(100 + round)))
                    try transaction.remove(table, key!)
                    try transaction.commit()
                }
            }
            let transaction = try sessions[0].begin()
            try edit(transaction)
            try expectSame(sessions[0], "\(what), before the commit")
            try transaction.commit()
            try expectSame(sessions[0], what)
            try sessions[1].database.refresh()
            try expectSame(sessions[1], "\(what), seen by the other")
            sessions.swapAt(0, 1)
        }
        try audit()
    }

    @Test func everyVersionIsReadAfterAFailedCommit() throws {
        let error = RealmError(.output, code: "IO", reason: "test", "the disk is broken")
        let table: TableKey
        do {
            let session = try open(creates: true)
            table = try makeClass(session, "n")
            try insert(session, table, 0..<300)
        }
        for failing in 0..<7 {
            do {
                let session = try open { FaultyDevice($0, failing: failing, error, tears: true) }
                let transaction = try session.begin()
                try transaction.addProperty(table, PropertySpec("p\(failing)", .string))
                _ = try transaction.create(in: table, primaryKey: .int(Int64(1000 + failing)))
                _ = Thrown.error { try transaction.commit() }
                try expectSame(session, "after a failure at call \(failing)")
            }
            let session = try open()
            try expectSame(session, "in a new session after a failure at call \(failing)")
            try insert(session, table, 400 + failing..<401 + failing)
            try expectSame(session, "after a commit there")
        }
        try audit()
    }
}
