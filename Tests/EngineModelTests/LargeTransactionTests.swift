import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Transactions that exceed the limits of single nodes and of memory.
@Suite struct LargeTransactionTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("large.realm")
    }

    private func session(small: Bool = false) throws -> WriteSession {
        var options = WriteSession.Options.scratch()
        if small { options.fanout = ModelShapes.small }
        return try WriteSession(path: path, options: options)
    }

    private func audit() throws {
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// A blob is smaller than 16 MiB. Other processes depend on a complete changeset for
    /// notifications.
    @Test func longChangesetIsStoredInParts() throws {
        let session = try session()
        var transaction = try session.begin()
        let table = try transaction.createClass("C")
        try transaction.addProperty(table, PropertySpec("a", .int))
        let object = try transaction.create(in: table)
        try transaction.commit()
        transaction = try session.begin()
        try transaction.set(table, object, 0, .int(1))
        let column = session.database.schema.table(table)!.columns[0].key
        while transaction.log.pointee.bytes.count <= BytesLeaf.maximumBlobSize {
            transaction.log.pointee.set(table, column, ObjectKey(.max >> 2))
        }
        let size = transaction.log.pointee.bytes.count
        let pinned = session.database.snapshot()
        try transaction.commit()
        #expect(try changesetSizes(session).last == size)
        // The changeset stays in the history while a version needs it, and is dropped afterwards.
        transaction = try session.begin()
        try transaction.set(table, object, 0, .int(2))
        try transaction.commit()
        #expect(try changesetSizes(session).contains(size))
        withExtendedLifetime(pinned) {}
        try audit()
    }

    private func changesetSizes(_ session: WriteSession) throws -> [Int] {
        let database = session.database
        let state = database.newest
        let memory = ReadContext(base: database.file.mapping.base, limit: state.limit)
        let view = CollectionView(
            root: state.top!.history, element: ElementType(type: .binary, isNullable: false))
        var sizes: [Int] = []
        var cursor = ElementCursor(memory.lookup, view)
        while let element = try cursor.nextStored() {
            if case .binary(let bytes) = element { sizes.append(bytes.count) }
        }
        return sizes
    }

    /// Spilled nodes take no memory, change nothing before the commit, and do not affect reads of
    /// the transaction.
    @Test(arguments: [false, true]) func spillingChangesNothingBeforeTheCommit(_ small: Bool) throws
    {
        let session = try session(small: small)
        var transaction = try session.begin()
        let table = try transaction.createClass(
            "C", primaryKey: PropertySpec("id", .int))
        var text = PropertySpec("text", .string)
        text.isIndexed = true
        try transaction.addProperty(table, text)
        var next = PropertySpec("next", .link)
        next.target = table
        try transaction.addProperty(table, next)
        try transaction.commit()
        let before = session.database.version

        transaction = try session.begin()
        let count = small ? 300 : 3000
        var last: ObjectKey?
        var largest = 0
        for i in 0..<count {
            let key = try transaction.create(in: table, primaryKey: .int(Int64(i * 7919 % count)))
            if let last {
                try transaction.set(table, key, 2, .link(ObjectLink(table: table, key: last)))
            }
            last = key
            largest = max(largest, transaction.size)
            if i % 100 == 99 {
                try transaction.spill()
                #expect(transaction.size < 1000)
            }
        }
        #expect(session.database.version == before)
        #expect(try Database(immutable: path).snapshot().table(table).count() == 0)
        for i in 0..<count {
            #expect(try transaction.find(in: table, primaryKey: .int(Int64(i))) != nil)
        }
        try transaction.commit()
        #expect(try session.database.snapshot().table(table).count() == count)
        try audit()
    }

    /// The space of a transaction that was rolled back is reused by the next one.
    @Test func spilledSpaceIsReusedAfterARollback() throws {
        let session = try session()
        var transaction = try session.begin()
        let table = try transaction.createClass("C", primaryKey: PropertySpec("id", .int))
        try transaction.commit()
        var sizes: [Int] = []
        for _ in 0..<4 {
            transaction = try session.begin()
            for i in 0..<20_000 {
                _ = try transaction.create(in: table, primaryKey: .int(Int64(i)))
            }
            try transaction.spill()
            transaction.rollback()
            sizes.append(session.device.size)
        }
        #expect(sizes.allSatisfy { $0 == sizes[0] })
        transaction = try session.begin()
        _ = try transaction.create(in: table, primaryKey: .int(1))
        try transaction.commit()
        try audit()
    }

    /// A transaction that repeatedly changes the same leaves overwrites its spilled nodes.
    @Test(arguments: [false, true]) func spilledNodesAreOverwritten(isGrouped: Bool) throws {
        let session = try session()
        var transaction = try session.begin()
        let table = try transaction.createClass("C", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(table, PropertySpec("n", .int))
        let keys = try (0..<20_000).map {
            try transaction.create(in: table, primaryKey: .int(Int64($0)))
        }
        try transaction.commit()
        let before = session.device.size
        if isGrouped { try session.openGroup() }
        transaction = try session.begin()
        for round in 0..<40 {
            for i in stride(from: round % 7, to: keys.count, by: 7) {
                try transaction.set(table, keys[i], 1, .int(Int64(round << 40 + i)))
            }
            try transaction.spill()
        }
        try transaction.commit()
        if isGrouped {
            try session.flushGroup()
            session.closeGroup()
        }
        #expect(session.device.size < 8 * before, "\(session.device.size), was \(before)")
        for (i, key) in keys.enumerated() where i % 101 == 0 {
            let last = (0..<40).last { $0 % 7 == i % 7 }!
            let value = try session.database.snapshot().table(table).row(key)?.value(1)
            guard case .int(let number)? = value else {
                Issue.record("\(String(describing: value))")
                return
            }
            #expect(number == Int64(last << 40 + i))
        }
        try audit()
    }

    /// Freeing a shared node twice is detected before anything is written.
    @Test func sharedNodesAreNotFreedTwice() throws {
        let first = try session()
        var transaction = try first.begin()
        let table = try transaction.createClass("C")
        var list = PropertySpec("list", .int)
        list.collection = .list
        try transaction.addProperty(table, list)
        var objects: [ObjectKey] = []
        for _ in 0..<2 {
            let key = try transaction.create(in: table)
            try transaction.setElements(table, key, 0, (0..<100).map { .int($0) })
            objects.append(key)
        }
        try transaction.commit()
        transaction = try first.begin()
        // Both cells reference the list of the first object.
        let shared = try transaction.value(table, objects[0], 0)!
        let editor = try transaction.editor(table)
        try editor.setCell(objects[1], editor.columns[0].leafIndex, shared)
        try transaction.commit()
        let version = first.database.version
        transaction = try first.begin()
        for key in objects { try transaction.remove(table, key) }
        var thrown: RealmError?
        do throws(RealmError) { try transaction.commit() } catch { thrown = error }
        #expect(thrown?.kind == .corrupt)
        let after = try Database(immutable: path)
        #expect(after.version == version)
        #expect(try after.snapshot().table(table).count() == 2)
    }

    /// Shared branches that double at each level would take forever to visit; the size of the file
    /// limits the walk.
    @Test func sharedBranchesEndTheWalk() throws {
        let size = 4096
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        var at = 24
        bytes.storeBytes(
            of: NodeView.header(flags: 0, count: 0), toByteOffset: at, as: UInt64.self)
        var child = at
        for _ in 0..<64 {
            at = child + 24
            bytes.storeBytes(
                of: NodeView.header(flags: NodeView.hasRefsFlag | 7, count: 2), toByteOffset: at,
                as: UInt64.self)
            for slot in 1...2 {
                bytes.storeBytes(of: UInt64(child), toByteOffset: at + 8 * slot, as: UInt64.self)
            }
            child = at
        }
        let first = try session()
        let memory = ReadContext(base: bytes, limit: UInt64(size))
        let context = EditContext(space: memory.lookup, slab: first.slab, fanout: Fanout())
        var thrown: RealmError?
        do throws(RealmError) { try context.freeDeep(Ref(UInt64(at))) } catch { thrown = error }
        #expect(thrown?.kind == .corrupt)
        #expect(context.freed.count < size)
        withExtendedLifetime(memory) {}
    }
}
