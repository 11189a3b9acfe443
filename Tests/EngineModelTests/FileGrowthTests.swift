import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Files that are written in small commits stay about as large as their data, and their free lists
/// short, as long as no version is pinned.
@Suite struct FileGrowthTests {
    private let folder: ScratchFolder
    private let session: WriteSession
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("growth.realm")
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = false
        session = try WriteSession(path: path, options: options)
    }

    private func makeClass(
        primaryKey: ColumnType? = nil, _ properties: PropertySpec...
    ) throws -> TableKey {
        let transaction = try session.begin()
        let table = try transaction.createClass(
            "C", primaryKey: primaryKey.map { PropertySpec("id", $0) })
        for property in properties { try transaction.addProperty(table, property) }
        try transaction.commit()
        return table
    }

    private func indexed(_ name: String, _ type: ColumnType) -> PropertySpec {
        var property = PropertySpec(name, type)
        property.isIndexed = true
        return property
    }

    private func list(_ name: String, _ type: ColumnType) -> PropertySpec {
        var property = PropertySpec(name, type)
        property.collection = .list
        return property
    }

    /// Expects that the file is at most `factor` times its data, that its space is accounted for,
    /// and that there are fewer than `chunks` free chunks.
    private func expect(_ factor: Double, chunks: Int) throws {
        let report = try IntegrityCheck.run(path: path)
        try ModelRun.audit(report, "at the end")
        let space = try session.space()
        let live = space.logicalSize - space.freeBytes - space.pinnedBytes
        let size = Double(space.logicalSize)
        #expect(size <= factor * Double(live) + 16_384, "\(space), live \(live)")
        #expect(report.facts.freeChunks < chunks)
    }

    private func withText(_ text: String, _ body: (Value) throws -> Void) throws {
        try Array(text.utf8).withUnsafeBytes { bytes in
            try body(.string(ByteView(bytes.baseAddress!, count: bytes.count)))
        }
    }

    /// Messages with a string key, two indexes and a list of one tag, one per commit.
    @Test func committingMessagesKeepsTheFileSmall() throws {
        let table = try makeClass(
            primaryKey: .string, indexed("sender", .string), indexed("thread", .int),
            PropertySpec("subject", .string), list("tags", .string))
        var random = SeededRandom(seed: 1)
        for _ in 0..<500 {
            let transaction = try session.begin()
            var key = ObjectKey(0)
            try withText("<\(random.next())@example.org>") {
                key = try transaction.create(in: table, primaryKey: $0)
            }
            try withText("user\(random.next() % 50)@example.org") {
                try transaction.set(table, key, 1, $0)
            }
            try transaction.set(table, key, 2, .int(Int64(random.next() % 200)))
            try withText("a subject of some length, number \(random.next() % 1000)") {
                try transaction.set(table, key, 3, $0)
            }
            try withText("inbox") { try transaction.setElements(table, key, 4, [$0]) }
            try transaction.commit()
        }
        try expect(3.5, chunks: 500)
    }

    /// Objects with a list of one element, one per commit.
    @Test func committingShortListsKeepsTheFileSmall() throws {
        let table = try makeClass(list("tags", .string))
        for i in 0..<1500 {
            let transaction = try session.begin()
            let key = try transaction.create(in: table)
            try withText("tag\(i % 100)") { try transaction.setElements(table, key, 0, [$0]) }
            try transaction.commit()
        }
        try expect(2, chunks: 300)
    }

    /// Added objects, one per commit.
    @Test func addingObjectsKeepsTheFileSmall() throws {
        let table = try makeClass(
            primaryKey: .int, PropertySpec("name", .string), PropertySpec("score", .double))
        for i in 0..<1500 {
            let transaction = try session.begin()
            let key = try transaction.create(in: table, primaryKey: .int(Int64(i)))
            try withText("somebody \(i)") { try transaction.set(table, key, 1, $0) }
            try transaction.set(table, key, 2, .double(Double(i) / 7))
            try transaction.commit()
        }
        try expect(2, chunks: 300)
    }

    /// Added objects of six properties, one per commit.
    @Test func addingWideObjectsKeepsTheFileSmall() throws {
        let table = try makeClass(
            primaryKey: .int, PropertySpec("name", .string), PropertySpec("age", .int),
            PropertySpec("email", .string), PropertySpec("score", .double),
            PropertySpec("city", .string))
        for i in 0..<4000 {
            let transaction = try session.begin()
            let key = try transaction.create(in: table, primaryKey: .int(Int64(i)))
            try withText("somebody \(i)") { try transaction.set(table, key, 1, $0) }
            try transaction.set(table, key, 2, .int(Int64(i % 90)))
            try withText("somebody\(i)@example.org") { try transaction.set(table, key, 3, $0) }
            try transaction.set(table, key, 4, .double(Double(i) / 7))
            try withText("city \(i % 100)") { try transaction.set(table, key, 5, $0) }
            try transaction.commit()
        }
        try expect(1.4, chunks: 300)
    }

    /// Changes of an indexed property, a few objects per commit.
    @Test func changingIndexedValuesKeepsTheFileSmall() throws {
        let table = try makeClass(primaryKey: .int, indexed("value", .int))
        let count: UInt64 = 6000
        let keys = try fill(table, Int(count)) { transaction, key, i in
            try transaction.set(table, key, 1, .int(Int64(i * 7919 % 3000)))
        }
        var random = SeededRandom(seed: 2)
        for _ in 0..<250 {
            let transaction = try session.begin()
            for _ in 0..<10 {
                let value = Value.int(Int64(random.next() % 3000))
                try transaction.set(table, keys[Int(random.next() % count)], 1, value)
            }
            try transaction.commit()
        }
        try expect(2, chunks: 1500)
    }

    /// Random deletion of half of the objects, some per commit. The file does not grow.
    @Test func deletingObjectsDoesNotGrowTheFile() throws {
        let table = try makeClass(primaryKey: .int, PropertySpec("value", .int))
        var keys = try fill(table, 8000) { transaction, key, i in
            try transaction.set(table, key, 1, .int(Int64(i)))
        }
        let before = try session.space().logicalSize
        var random = SeededRandom(seed: 3)
        keys.shuffle(using: &random)
        for i in 0..<200 {
            let transaction = try session.begin()
            for key in keys[i * 20..<i * 20 + 20] { try transaction.remove(table, key) }
            try transaction.commit()
        }
        #expect(Double(try session.space().logicalSize) <= 1.8 * Double(before))
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// Creates `count` people with an indexed text in one commit.
    private func people(_ count: Int) throws -> (TableKey, [ObjectKey]) {
        let table = try makeClass(
            primaryKey: .int, PropertySpec("name", .string), indexed("city", .string),
            PropertySpec("score", .double))
        let keys = try fill(table, count) { transaction, key, i in
            try self.set(transaction, table, key, i)
        }
        return (table, keys)
    }

    private func set(
        _ transaction: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ i: Int
    ) throws {
        try withText("a person, number \(i)") { try transaction.set(table, key, 1, $0) }
        try withText("city \(i % 300)") { try transaction.set(table, key, 2, $0) }
        try transaction.set(table, key, 3, .double(Double(i) / 7))
    }

    /// Added objects, 100 per commit.
    @Test func addingBatchesKeepsTheFileSmall() throws {
        let (table, _) = try people(1)
        for i in 0..<120 {
            let transaction = try session.begin()
            for j in 0..<100 {
                let id = 1 + 100 * i + j
                let key = try transaction.create(in: table, primaryKey: .int(Int64(id)))
                try set(transaction, table, key, id)
            }
            try transaction.commit()
        }
        try expect(1.7, chunks: 400)
    }

    /// Added objects with links to random ones of a few targets, 100 per commit: hundreds of nodes,
    /// some many times larger than the mean.
    @Test func addingLinkedBatchesKeepsTheFileSmall() throws {
        let target = try makeClass(PropertySpec("name", .string))
        let targets = try fill(target, 1000) { transaction, key, i in
            try withText("target \(i)") { try transaction.set(target, key, 0, $0) }
        }
        let transaction = try session.begin()
        let table = try transaction.createClass("Origin", primaryKey: PropertySpec("id", .int))
        var link = PropertySpec("link", .link)
        link.target = target
        for property in [PropertySpec("name", .string), PropertySpec("email", .string), link] {
            try transaction.addProperty(table, property)
        }
        try transaction.commit()
        var random = SeededRandom(seed: 7)
        for i in 0..<200 {
            let transaction = try session.begin()
            for j in 0..<100 {
                let id = 100 * i + j
                let key = try transaction.create(in: table, primaryKey: .int(Int64(id)))
                try withText("person \(id)") { try transaction.set(table, key, 1, $0) }
                try withText("someone.\(id)@mail.example.org") {
                    try transaction.set(table, key, 2, $0)
                }
                let other = targets[Int(random.next() % UInt64(targets.count))]
                let value = Value.link(ObjectLink(table: target, key: other))
                try transaction.set(table, key, 3, value)
            }
            try transaction.commit()
        }
        try expect(1.4, chunks: 1000)
    }

    /// Changes of random objects, 100 per commit, each of which rewrites most of the file.
    @Test func changingManyObjectsKeepsTheFileSmall() throws {
        let (table, keys) = try people(20_000)
        var random = SeededRandom(seed: 4)
        for _ in 0..<120 {
            let transaction = try session.begin()
            for _ in 0..<100 {
                let i = Int(random.next() % UInt64(keys.count))
                try set(transaction, table, keys[i], Int(random.next() % 100_000))
            }
            try transaction.commit()
        }
        try expect(2.2, chunks: 1200)
    }

    /// Replacements of random objects by new ones, 100 per commit.
    @Test func replacingObjectsKeepsTheFileSmall() throws {
        let (table, all) = try people(20_000)
        var keys = all
        var random = SeededRandom(seed: 5)
        for i in 0..<100 {
            let transaction = try session.begin()
            for j in 0..<100 {
                let id = 20_000 + 100 * i + j
                let at = Int(random.next() % UInt64(keys.count))
                try transaction.remove(table, keys[at])
                keys[at] = try transaction.create(in: table, primaryKey: .int(Int64(id)))
                try set(transaction, table, keys[at], id)
            }
            try transaction.commit()
        }
        try expect(2.5, chunks: 1500)
    }

    /// Random deletion of half of the objects, 100 per commit, with long free lists.
    @Test func deletingManyObjectsDoesNotGrowTheFile() throws {
        let (table, all) = try people(20_000)
        var keys = all
        let before = try session.space().logicalSize
        var random = SeededRandom(seed: 6)
        keys.shuffle(using: &random)
        for i in 0..<100 {
            let transaction = try session.begin()
            for key in keys[i * 100..<i * 100 + 100] { try transaction.remove(table, key) }
            try transaction.commit()
        }
        #expect(Double(try session.space().logicalSize) <= 1.8 * Double(before))
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    private func fill(
        _ table: TableKey, _ count: Int,
        _ body: (WriteTransaction, ObjectKey, Int) throws -> Void
    ) throws -> [ObjectKey] {
        let transaction = try session.begin()
        var keys: [ObjectKey] = []
        for i in 0..<count {
            let hasKey = try transaction.editor(table).primaryKey != nil
            let key = try transaction.create(
                in: table, primaryKey: hasKey ? .int(Int64(i)) : nil)
            try body(transaction, key, i)
            keys.append(key)
        }
        try transaction.commit()
        return keys
    }
}
