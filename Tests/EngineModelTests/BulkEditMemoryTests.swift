import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Every edit of many objects keeps the memory limit of its transaction.
@Suite struct BulkEditMemoryTests {
    private let folder: ScratchFolder
    private let path: String
    private let session: WriteSession
    private let table: TableKey
    private let other: TableKey
    private let keys: [ObjectKey]
    private let others: [ObjectKey]

    private static let count = 20_000
    private static let limit = 1 << 17
    /// Bytes that a leaf and the top arrays of the tables take in addition to the limit.
    private static let slack = 1 << 19

    /// Makes about 5 MB: strings of 200 bytes, an indexed number, a list, a link.
    init() throws {
        folder = try ScratchFolder()
        path = folder.file("bulk.realm")
        session = try WriteSession(path: path, options: .scratch())
        let transaction = try session.begin()
        other = try transaction.createClass("Other")
        table = try transaction.createClass("C", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(table, PropertySpec("text", .string))
        var number = PropertySpec("number", .int)
        number.isIndexed = true
        try transaction.addProperty(table, number)
        var list = PropertySpec("list", .int)
        list.collection = .list
        try transaction.addProperty(table, list)
        var link = PropertySpec("link", .link)
        link.target = other
        try transaction.addProperty(table, link)
        var made: [ObjectKey] = []
        var targets: [ObjectKey] = []
        for i in 0..<Self.count {
            let target = try transaction.create(in: other)
            let key = try transaction.create(in: table, primaryKey: .int(Int64(i)))
            try Self.set(transaction, table, key, i)
            try transaction.setElements(table, key, 3, [.int(Int64(i)), .int(7)])
            try transaction.set(table, key, 4, .link(ObjectLink(table: other, key: target)))
            made.append(key)
            targets.append(target)
        }
        (keys, others) = (made, targets)
        try transaction.commit()
    }

    private static func text(_ i: Int) -> [UInt8] {
        Array("\(i) ".utf8) + [UInt8](repeating: 65 + UInt8(i % 26), count: 200)
    }

    private static func set(
        _ transaction: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ i: Int
    ) throws {
        try text(i).withUnsafeBytes { bytes in
            let view = ByteView(bytes.baseAddress!, count: bytes.count)
            try transaction.set(table, key, 1, .string(view))
        }
        try transaction.set(table, key, 2, .int(Int64(i * 7919 % count)))
    }

    /// Runs an edit under the limit and checks the file after its commit.
    private func edit(
        spills: Bool = true, _ body: (WriteTransaction) throws -> Void
    ) throws {
        let transaction = try session.begin()
        transaction.memoryLimit = Self.limit
        try body(transaction)
        let size = max(transaction.largestSize, transaction.size)
        #expect(size <= Self.limit + Self.slack, "\(size) bytes")
        #expect(transaction.largestSize > 0 || !spills)
        try transaction.commit()
        try ModelRun.audit(IntegrityCheck.run(path: path), "after the edit")
    }

    private func texts() throws -> [String?] {
        let rows = try session.database.snapshot().table(table)
        let column = try #require(rows.info.columnIndex(named: "text"))
        return try keys.map { key in
            guard case .string(let text)? = try rows.row(key)?.value(column) else { return nil }
            return String(decoding: text.bytes, as: UTF8.self)
        }
    }

    private func count() throws -> Int {
        try session.database.snapshot().table(table).count()
    }

    @Test func settingAPropertyStaysWithinTheMemoryLimit() throws {
        let arena = ByteArena()
        let bytes = [UInt8](repeating: 90, count: 300)
        let text = bytes.withUnsafeBytes {
            arena.copy(ByteView($0.baseAddress!, count: $0.count))
        }
        try edit { transaction in
            try transaction.visitObjects(keys) { (key) throws(RealmError) in
                try transaction.set(table, key, 1, .string(text))
                try transaction.set(table, key, 2, .int(key.raw % 7))
            }
        }
        #expect(try texts().allSatisfy { $0?.utf8.count == 300 })
    }

    @Test func makingPropertiesOptionalStaysWithinTheLimit() throws {
        try edit { transaction in
            try transaction.setOptional(table, 1, true)
            let number = try transaction.column(named: "number", in: table)
            try transaction.setOptional(table, #require(number), true)
            let list = try transaction.column(named: "list", in: table)
            try transaction.setOptional(table, #require(list), true)
            try transaction.setOptional(table, 0, true)
        }
        let texts = try texts()
        for i in 0..<Self.count {
            #expect(texts[i] == String(decoding: Self.text(i), as: UTF8.self))
        }
        let rows = try session.database.snapshot().table(table)
        let list = try #require(rows.info.columnIndex(named: "list"))
        guard case .list(let view)? = try rows.row(keys[17])?.value(list) else {
            Issue.record("no list")
            return
        }
        #expect(view.element.isNullable && !view.root.isNone)
    }

    @Test func addingAndDroppingPropertiesStaysWithinTheLimit() throws {
        try edit { transaction in
            var spec = PropertySpec("new", .double)
            spec.isIndexed = false
            try transaction.addProperty(table, spec)
            try transaction.addProperty(table, PropertySpec("more", .decimal))
            try transaction.removeProperty(table, 4)
            try transaction.removeProperty(table, 3)
        }
        try edit(spills: false) { transaction in try transaction.removeProperty(table, 1) }
        #expect(try count() == Self.count)
    }

    /// Queued backlinks are stored before the column is removed.
    @Test(arguments: [false, true]) func changingLinksToNewTargetsStaysWithinTheLimit(
        _ isDropped: Bool
    ) throws {
        try edit(spills: false) { transaction in
            for key in keys.prefix(5_000) { try transaction.set(table, key, 4, .null) }
            try transaction.addProperty(other, PropertySpec("number", .int))
        }
        try edit { transaction in
            for (key, target) in zip(keys, others).prefix(5_000) {
                let link = ObjectLink(table: other, key: target)
                try transaction.set(table, key, 4, .link(link))
            }
            if isDropped {
                try transaction.removeProperty(other, 0)
            } else {
                try transaction.setOptional(other, 0, true)
            }
        }
    }

    /// An index that exceeds the memory limit is built in parts.
    @Test func addingIndexesStaysWithinTheMemoryLimit() throws {
        try edit { transaction in
            try transaction.setIndex(table, 2, .none)
            try transaction.setIndex(table, 2, .general)
            try transaction.setIndex(table, 1, .fullText)
        }
        try edit { transaction in try transaction.setIndex(table, 1, .general) }
    }

    @Test(arguments: [2, 10]) func deletingObjectsStaysWithinTheMemoryLimit(_ part: Int) throws {
        try edit { transaction in
            try transaction.remove(table, keys.filter { Int($0.raw) % part == 0 })
            try transaction.remove(other, others.filter { Int($0.raw) % part == 1 })
        }
        #expect(try count() == keys.count { Int($0.raw) % part != 0 })
    }

    @Test func emptyingAndDroppingClassesStaysWithinTheLimit() throws {
        try edit(spills: false) { transaction in
            try transaction.removeAllObjects(of: [other])
        }
        try edit(spills: false) { transaction in try transaction.removeAllObjects(of: [table]) }
        #expect(try count() == 0)
        try edit(spills: false) { transaction in
            try transaction.removeClass(table)
            try transaction.removeClass(other)
        }
    }
}
