import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Reads inside a write transaction use ordinary snapshots: they write nothing, and return the
/// state at the time of the snapshot or an error.
@Suite struct OpenTransactionTests {
    private let folder: ScratchFolder
    private let session: WriteSession
    private let table: TableKey
    private let arena = ByteArena()

    init() throws {
        folder = try ScratchFolder()
        session = try WriteSession(path: folder.file("open.realm"), options: .scratch())
        let transaction = try session.begin()
        table = try transaction.createClass("C", primaryKey: PropertySpec("id", .int))
        var indexed = PropertySpec("group", .int)
        indexed.isIndexed = true
        try transaction.addProperty(table, indexed)
        try transaction.addProperty(table, PropertySpec("text", .string))
        var list = PropertySpec("list", .int)
        list.collection = .list
        try transaction.addProperty(table, list)
        try transaction.commit()
    }

    private func fill(_ count: Int) throws {
        let transaction = try session.begin()
        for id in 0..<count { _ = try add(transaction, id) }
        try transaction.commit()
    }

    private func add(_ transaction: WriteTransaction, _ id: Int) throws -> ObjectKey {
        let key = try transaction.create(in: table, primaryKey: .int(Int64(id)))
        try transaction.set(table, key, 1, .int(Int64(id % 97)))
        return key
    }

    /// Compares random transactions with the model after every operation.
    @Test(arguments: 0..<8) func readingEqualsTheModelAfterEveryOperation(_ shard: Int) throws {
        var shape = ModelShapes.shape(shard)
        shape.readsAlong = true
        shape.operationsPerTransaction = 40
        if shard % 2 == 1 {
            shape.flushPercent = 20
            shape.rollbackPercent = 30
        }
        let seed = UInt64.random(in: 0 ... .max)
        let run = try ModelRun(
            path: folder.file("model.realm"), seed: seed &+ UInt64(shard), shape: shape)
        do { try run.run(operations: 1500 * ModelShapes.scale) } catch {
            Issue.record("shard \(shard), seed \(seed), \(run.operations): \(error)")
        }
    }

    // MARK: Cost

    #if DEBUG
        @Test func readingATransactionCreatesNoNodes() throws {
            try fill(3000)
            let transaction = try session.begin()
            let key = try #require(try transaction.find(in: table, primaryKey: .int(1234)))
            try transaction.set(table, key, 1, .int(5))
            let first = try transaction.snapshot()
            #expect(try transaction.snapshot() === first)
            try transaction.set(table, key, 1, .int(6))
            let (made, opened) = (session.slab.used, opened(transaction))
            let second = try transaction.snapshot()
            #expect(second !== first && second.schema === first.schema)
            #expect(session.slab.used == made, "reading makes nodes")
            #expect(self.opened(transaction) - opened < 20)
            let info = try #require(second.schema.table(table))
            #expect(try second.table(info).row(key)?.value(1).integer == 6)
            #expect(try count("group == 6", second) == 32)
            transaction.rollback()
        }

        private func opened(_ transaction: WriteTransaction) -> Int {
            transaction.memory.lookup.state.pointee.opened
        }

        /// For any table size, a change of one property opens the nodes on its path, and a commit
        /// no others.
        @Test(arguments: [300, 5000, ModelShapes.scale > 1 ? 1_000_000 : 40_000])
        func aChangeOpensOnlyTheNodesOnItsPath(_ count: Int) throws {
            try fill(count)
            for id in [0, count / 2, count - 1] {
                let transaction = try session.begin()
                let found = try #require(
                    try transaction.find(in: table, primaryKey: .int(Int64(id))))
                try transaction.set(table, found, 1, .int(1000 + Int64(id)))
                try transaction.set(table, found, 2, .string(text("changed")))
                let memory = transaction.memory
                try transaction.commit()
                let state = memory.lookup.state.pointee
                let opened = state.opened + memory.walk.state.pointee.opened
                let depth = try self.depth(count)
                #expect(opened < 24 * depth + 120, "\(opened) nodes at depth \(depth)")
                try session.database.refresh()
            }
        }

        /// Total number of levels of the tree of objects and the indexes.
        private func depth(_ count: Int) throws -> Int {
            let snapshot = session.database.snapshot()
            let info = try #require(snapshot.schema.table(table))
            var levels = 0
            for var ref in [info.root] + info.columns.map(\.indexRoot) where !ref.isNone {
                var node = try snapshot.lookup.node(ref)
                levels += 1
                while node.isInner {
                    ref = node.slot(node.count - 1).ref
                    node = try snapshot.lookup.node(ref)
                    levels += 1
                }
            }
            return levels
        }

    #endif

    // MARK: Outdated snapshots

    private func text(_ text: String) -> ByteView {
        var text = text
        return text.withUTF8 { arena.copy(ByteView($0.baseAddress!, count: $0.count)) }
    }

    private func count(_ condition: String, _ snapshot: Snapshot) throws -> Int {
        let info = try #require(snapshot.schema.table(table))
        let query = try Query(condition).bound(to: snapshot.table(info))
        return try QueryPlan(query, in: snapshot).count(in: snapshot)
    }

    private func expectOutdated(_ body: () throws -> Void) {
        let error = #expect(throws: RealmError.self) { try body() }
        #expect(error?.code == "WrongTransactionState", "\(String(describing: error))")
    }

    enum End: CaseIterable { case set, create, remove, property, spill, commit, rollback }

    @Test(arguments: End.allCases) func snapshotsCannotBeReadAfterAChange(_ end: End) throws {
        try fill(600)
        let transaction = try session.begin()
        let key = try add(transaction, 1000)
        try transaction.setElements(table, key, 3, [.int(1), .int(2), .int(3)])
        let snapshot = try transaction.snapshot()
        let info = try #require(snapshot.schema.table(table))
        let row = try #require(try snapshot.table(info).row(key))
        let scan = snapshot.table(info).scan(columns: [1])
        #expect(try scan.next())
        guard case .list(let list) = try row.value(3) else {
            Issue.record("no list")
            return
        }
        var elements = snapshot.elements(of: list)
        #expect(try elements.next()?.integer == 1)
        switch end {
        case .set: try transaction.set(table, key, 1, .int(7))
        case .create: _ = try add(transaction, 1001)
        case .remove: try transaction.remove(table, key)
        case .property: try transaction.addProperty(table, PropertySpec("more", .int))
        case .spill: try transaction.spill()
        case .commit: try transaction.commit()
        case .rollback: transaction.rollback()
        }
        expectOutdated { _ = try row.value(1) }
        expectOutdated { _ = try scan.value(row: 0, column: 0) }
        expectOutdated { _ = try scan.next() }
        expectOutdated { _ = try elements.next() }
        expectOutdated { _ = try snapshot.table(info).count() }
        expectOutdated { _ = try snapshot.table(info).row(ObjectKey(0)) }
        expectOutdated { _ = try count("group == 7", snapshot) }
        snapshot.beginWalk()
        expectOutdated { _ = try snapshot.table(info).keys() }
        if end == .commit || end == .rollback { return }
        let now = try transaction.snapshot()
        let current = try #require(now.schema.table(table))
        #expect(
            try now.table(current).count() == (end == .create ? 602 : end == .remove ? 600 : 601))
        transaction.rollback()
    }
}

extension Value {
    fileprivate var integer: Int64? { if case .int(let v) = self { v } else { nil } }
}
