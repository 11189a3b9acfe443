import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Edits keep an enumerated column enumerated: a cell becomes the number of an equal value in the
/// list, or of an appended one (object format 3.6).
@Suite struct EnumeratedEditTests {
    private let folder: ScratchFolder
    private var path: String { folder.file("a.realm") }

    /// Makes a file whose class `A` has an enumerated property of ten values, and an ordinary one.
    init() throws {
        folder = try ScratchFolder()
        let session = try WriteSession(path: folder.file("plain.realm"), options: .scratch())
        let first = try session.begin()
        let table = try first.createClass("A")
        var text = PropertySpec("text", .string)
        text.isOptional = true
        try first.addProperty(table, text)
        try first.addProperty(table, PropertySpec("other", .string))
        for i in 0..<1000 {
            let key = try first.create(in: table)
            if i % 11 > 0 { try first.set(table, key, 0, "value \(i % 11)") }
            try first.set(table, key, 1, "other \(i)")
        }
        try first.commit()
        var compaction = Compactor.Options()
        compaction.enumeration = .properties([.init(className: "A", name: "text")])
        let copy = ScratchDatabase()
        _ = try copy.compact(Database(immutable: folder.file("plain.realm")), compaction)
        try FileManager.default.copyItem(atPath: copy.path, toPath: path)
    }

    private func change(
        _ fanout: Fanout = Fanout(), _ body: (WriteTransaction, TableKey) throws -> Void
    ) throws {
        var options = WriteSession.Options()
        options.isDurable = false
        options.fanout = fanout
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        try body(transaction, transaction.table(named: "A")!)
        try transaction.commit()
        try expectSound(path)
    }

    /// The property's list of values; nil if it is not enumerated any more.
    private func list() throws -> [String?]? {
        let snapshot = try Database(immutable: path).snapshot()
        let info = try #require(snapshot.schema.table(named: "A"))
        guard let column = info.columns.first(where: { $0.name == "text" }),
            !column.distinct.isNone
        else { return nil }
        let leaf = try BytesLeaf(strings: snapshot.lookup, column.distinct)
        return try (0..<leaf.count).map { try leaf.value($0)?.string }
    }

    private func texts() throws -> [String?] {
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "A")))
        let column = try #require(table.info.columnIndex(named: "text"))
        return try table.keys().map { key in
            guard case .string(let text)? = try table.row(key)?.value(column) else { return nil }
            return text.string
        }
    }

    /// Leaves of the column are spilled one after the other.
    @Test(arguments: [false, true])
    func conversionToStringsStaysWithinTheMemoryLimit(_ hasNewValue: Bool) throws {
        var wanted = try texts()
        try change { (transaction, table) in
            transaction.memoryLimit = 1 << 12
            if hasNewValue {
                let keys = try Array(transaction.snapshot().table(table).keys())
                try transaction.set(table, keys[1], 0, "new")
                wanted[1] = "new"
            }
            #expect(try transaction.setOptional(table, 0, false) == wanted.count { $0 == nil })
            #expect(transaction.largestSize > 0)
        }
        #expect(try texts() == wanted.map { $0 ?? "" })
        #expect(try list() == nil)
    }

    /// Adds a class whose only object links to a tombstone of `A`, which contains texts where
    /// objects contain numbers.
    private func addTombstone() throws {
        var origin = ObjectKey(0)
        try change { (transaction, table) in
            let other = try transaction.createClass("B")
            var link = PropertySpec("a", .link)
            link.target = table
            try transaction.addProperty(other, link)
            origin = try transaction.create(in: other)
            let first = try transaction.snapshot().table(table).keys()[0]
            try transaction.set(other, origin, 0, .link(ObjectLink(table: table, key: first)))
        }
        let tree = try FileTree(contentsOf: URL(filePath: path))
        tree.leaf("class_B", "a").integers[0] = -8
        let place = tree.backlinkIndex("class_A", of: "a", in: "class_B")
        tree.cluster("class_A")[1 + place].slots[0] = .raw(0)
        let key = TreeNode([-9])
        key.width = 64
        tree.table("class_A")[13] = TreeNode(refs: [
            .child(key), .child(TreeNode(flags: 0x08, .bytes([], count: 1))),
            .child(TreeNode(flags: 0x09, .bytes([0], count: 1))),
            .child(TreeNode(refs: [.raw(UInt64(origin.raw) << 1 | 1)])),
        ])
        try Data(tree.encoded()).write(to: URL(filePath: path))
        try expectSound(path)
    }

    private func tombstones() throws -> [Value?] {
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "A")))
        return try table.keys(tombstones: true).map { try table.row($0)?.value(0) }
    }

    /// With tombstones, properties stay enumerated.
    @Test func tombstonesKeepThePropertyEnumerated() throws {
        try addTombstone()
        let known = try #require(try list())
        var wanted = try texts()
        try change { (transaction, table) in
            transaction.memoryLimit = 1 << 12
            let keys = try Array(transaction.snapshot().table(table).keys())
            try transaction.set(table, keys[1], 0, "new")
            wanted[1] = "new"
            try transaction.addProperty(table, PropertySpec("more", .int))
        }
        #expect(try texts() == wanted && list() == known + ["new"])
        #expect(try tombstones().count == 1)
        try change { (transaction, _) in
            let other = try #require(transaction.table(named: "B"))
            let keys = try Array(transaction.snapshot().table(other).keys())
            try transaction.set(other, keys[0], 0, .null)
        }
        #expect(try texts() == wanted && list() == known + ["new"])
        #expect(try tombstones().isEmpty)
    }

    @Test(arguments: [false, true])
    func propertiesWithTombstonesBecomeOrdinary(_ hasNewValue: Bool) throws {
        try addTombstone()
        var wanted = try texts()
        try change { (transaction, table) in
            if hasNewValue {
                let keys = try Array(transaction.snapshot().table(table).keys())
                try transaction.set(table, keys[1], 0, "new")
                wanted[1] = "new"
            }
            try transaction.setOptional(table, 0, false)
        }
        #expect(try texts() == wanted.map { $0 ?? "" } && list() == nil)
        #expect(try tombstones().count == 1)
    }

    @Test func existingValuesAreFoundAndNewOnesAppended() throws {
        let known = try #require(try list())
        #expect(known.count == 11 && known[0] == nil)
        var wanted = try texts()
        try change { (transaction, table) in
            let keys = try Array(transaction.snapshot().table(table).keys())
            for (i, text) in ["value 3", "new", nil, "new", "", "value 9"].enumerated() {
                try transaction.set(table, keys[i], 0, text)
                wanted[i] = text
                let read = try transaction.snapshot().table(table).row(keys[i])?.value(0)
                #expect((try #require(read)).text == text)
            }
        }
        #expect(try texts() == wanted)
        #expect(try list() == known + ["new", ""])
    }

    /// Lists that become medium and big, also within a transaction.
    @Test func listsOfValuesGrow() throws {
        var wanted = try texts()
        try change { (transaction, table) in
            let keys = try Array(transaction.snapshot().table(table).keys())
            for i in 0..<600 {
                let text = String(repeating: "long ", count: i / 40) + "\(i % 100)"
                try transaction.set(table, keys[i], 0, text)
                wanted[i] = text
            }
        }
        #expect(try texts() == wanted)
        let list = try #require(try list())
        #expect(Set(list).count == list.count)
        #expect(Set(wanted).isSubset(of: Set(list)))
    }

    @Test func createdAndDeletedObjectsKeepTheirValues() throws {
        var wanted = try texts()
        try change(ModelShapes.small) { (transaction, table) in
            let keys = try Array(transaction.snapshot().table(table).keys())
            for key in keys[100..<400] { try transaction.remove(table, key) }
            wanted.removeSubrange(100..<400)
            for i in 0..<300 {
                let key = try transaction.create(in: table)
                if i % 3 > 0 { try transaction.set(table, key, 0, "made \(i % 7)") }
                wanted.append(i % 3 > 0 ? "made \(i % 7)" : nil)
            }
        }
        #expect(try texts() == wanted)
        #expect(try list()?.count == 11 + 7)
    }

    @Test func rowBatchesAddTheirValues() throws {
        var wanted = try texts()
        try change { (transaction, table) in
            let info = try transaction.snapshot().table(table).info
            let batch = RowBatch(info, capacity: 700)
            for i in 0..<700 {
                let text = "batch \(i % 30)"
                text.withCString { bytes in
                    let view = ByteView(bytes, count: text.utf8.count)
                    [Value.string(view), .string(view)].withUnsafeBufferPointer {
                        batch.append($0)
                    }
                }
                wanted.append(text)
            }
            #expect(try transaction.create(batch))
        }
        #expect(try texts() == wanted)
        #expect(try list()?.count == 11 + 30)
    }

    @Test func schemaChangesKeepTheValues() throws {
        let wanted = try texts()
        try change { (transaction, table) in
            try transaction.setIndex(table, 0, .general)
            let keys = try Array(transaction.snapshot().table(table).keys())
            try transaction.set(table, keys[7], 0, "indexed")
        }
        #expect(try list()?.last == "indexed")
        try change { (transaction, table) in try transaction.setIndex(table, 0, .none) }
        #expect(try list() != nil)
        try change { (transaction, table) in try transaction.setOptional(table, 0, false) }
        #expect(try list() == nil)
        var filled = wanted.map { $0 ?? "" }
        filled[7] = "indexed"
        #expect(try texts() == filled)
    }

    @Test func removingAPropertyRemovesItsListOfValues() throws {
        try change { (transaction, table) in try transaction.removeProperty(table, 0) }
        #expect(try list() == nil)
    }

    @Test func aRollbackAddsNoValues() throws {
        let known = try list()
        var options = WriteSession.Options()
        options.isDurable = false
        let session = try WriteSession(path: path, options: options)
        let first = try session.begin()
        let table = first.table(named: "A")!
        let keys = try Array(first.snapshot().table(table).keys())
        try first.set(table, keys[0], 0, "forgotten")
        first.rollback()
        let second = try session.begin()
        try second.set(table, keys[1], 0, "kept")
        try second.commit()
        #expect(try list() == known.map { $0 + ["kept"] })
    }

    /// Random transactions on files in which all suitable properties are enumerated.
    @Test(arguments: QueryCases.datasets.indices, [false, true])
    func randomTransactionsEqualTheModel(_ i: Int, _ isSmall: Bool) throws {
        let name = try #require(QueryCases.datasets[i]["name"]?.string)
        let file = QueryCases.folder.appending(path: name + ".realm").path
        let copy = try ScratchDatabase.enumerated(Database(immutable: file))
        try ForeignFileTests.goOn(
            URL(filePath: copy.path), seed: .random(in: 0 ... .max), isSmall: isSmall,
            operations: 300 * ModelShapes.scale)
    }
}

extension WriteTransaction {
    fileprivate func set(
        _ table: TableKey, _ key: ObjectKey, _ column: Int, _ text: String?
    ) throws {
        guard let text else { return try set(table, key, column, .null) }
        try text.withCString {
            try set(table, key, column, .string(ByteView($0, count: text.utf8.count)))
        }
    }
}

extension Value {
    fileprivate var text: String? {
        if case .string(let view) = self { return view.string }
        return nil
    }
}
