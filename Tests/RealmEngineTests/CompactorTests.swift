import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compaction preserves content and drops unused space.
@Suite struct CompactorTests {
    @Test(arguments: IntegrityCheckTests.readable) func compactionKeepsAllContent(_ file: URL)
        throws
    {
        guard let source = try? Database(immutable: file.path) else { return }
        let scratch = ScratchDatabase()
        let result = try scratch.compact(source)
        let copy = try Database(immutable: scratch.path)
        #expect(copy.version == source.version && copy.header.format == source.header.format)
        #expect(try ScratchDatabase.digests(copy) == ScratchDatabase.digests(source))
        #expect(
            try ScratchDatabase.complaints(scratch.path) == ScratchDatabase.complaints(file.path))
        #expect(copy.reclaimableBytes == 16)
        #expect(result.bytes <= source.compactedLimit)
        #expect(try Compactor.estimate(source.snapshot()).bytes == result.bytes)
    }

    @Test(arguments: IntegrityCheckTests.readable) func enumerationKeepsAllContent(_ file: URL)
        throws
    {
        guard let source = try? Database(immutable: file.path) else { return }
        let scratch = ScratchDatabase()
        var options = Compactor.Options()
        options.enumeration = .below(percent: 100)
        let result = try scratch.compact(source, options)
        let copy = try Database(immutable: scratch.path)
        #expect(try ScratchDatabase.digests(copy) == ScratchDatabase.digests(source))
        #expect(
            try ScratchDatabase.complaints(scratch.path) == ScratchDatabase.complaints(file.path))
        if file.lastPathComponent == "bulk.realm" { #expect(result.enumerated > 0) }
    }

    /// Enumeration saves the predicted space, and properties that would not get smaller stay as
    /// they are.
    @Test(arguments: IntegrityCheckTests.readable) func enumeratesOnlyColumnsThatGetSmaller(
        _ file: URL
    ) throws {
        guard let source = try? Database(immutable: file.path) else { return }
        let saved = try SpaceUsage(source.snapshot()).columns.compactMap(\.enumerationSaves)
        let plain = try Compactor.estimate(source.snapshot())
        var options = Compactor.Options()
        options.enumeration = .smaller
        let smaller = try Compactor.estimate(source.snapshot(), options: options)
        #expect(smaller.enumerated == saved.count)
        // Lists in the specs and wider references may take a little of the saved space.
        let least = saved.reduce(0, +)
        let slack = UInt64(256 * (1 + saved.count))
        #expect(smaller.bytes + least <= plain.bytes + slack)
    }

    @Test func refusesToEnumerateUnsuitableProperties() throws {
        let source = try Database(
            immutable: Fixtures.own.appending(path: "query/social.realm").path)
        for (name, why) in [
            ("Nobody.name", "no such class"), ("Person.nothing", "no such property"),
            ("Person.handle", "primary key"), ("Person.age", "no string"),
        ] {
            let parts = name.split(separator: ".")
            var options = Compactor.Options()
            options.enumeration = .properties([
                Enumeration.Property(className: String(parts[0]), name: String(parts[1]))
            ])
            let error = #expect(throws: RealmError.self) {
                try Compactor.estimate(source.snapshot(), options: options)
            }
            #expect(error?.kind == .misuse && error?.message.contains(why) == true)
        }
    }

    @Test func dropsTheHistory() throws {
        let source = try Database(
            immutable: Fixtures.own.appending(path: "query/social.realm").path)
        let scratch = ScratchDatabase()
        var options = Compactor.Options()
        options.keepsHistory = false
        try scratch.compact(source, options)
        let report = try IntegrityCheck.run(path: scratch.path)
        #expect(report.isClean && report.facts.historyEntries == 0)
        #expect(try Database(immutable: scratch.path).top?.historyType == 2)
    }

    /// The slots of the nodes on the path exceed the copier's initial buffer.
    @Test func deepListsAreCopied() throws {
        let original = ScratchDatabase()
        var options = WriteSession.Options()
        (options.creates, options.isDurable) = (true, false)
        let session = try WriteSession(path: original.path, options: options)
        let change = try session.begin()
        let table = try change.createClass("A")
        try change.addProperty(table, PropertySpec("m", .mixed))
        var value = try change.makeList([])
        for _ in 0..<24 {
            value = try change.makeList(
                (0..<900).map { _ in try change.makeList([]) } + [value])
        }
        try change.set(table, try change.create(in: table), 0, value)
        try change.commit()
        let source = try Database(immutable: original.path)
        let copy = ScratchDatabase()
        try copy.compact(source)
        #expect(
            try ScratchDatabase.digests(Database(immutable: copy.path))
                == ScratchDatabase.digests(source))
        #expect(try IntegrityCheck.run(path: copy.path).errorCount == 0)
    }

    /// A history without a type is damage, since the copy would lose it.
    @Test(arguments: [true, false]) func aHistoryWithoutATypeIsDamage(_ hasRoot: Bool) throws {
        let tree = try FileTree("query/social")
        guard case .child = tree.top.slots[8] else {
            Issue.record("the fixture has no history")
            return
        }
        tree.top.slots[7] = .child(TreeNode([]))
        if !hasRoot {
            tree.top.slots[8] = .raw(0)
            tree.top.setTag(9, 2)
        }
        let file = ScratchDatabase()
        try Data(tree.encoded()).write(to: URL(filePath: file.path))
        let error = #expect(throws: RealmError.self) {
            try ScratchDatabase().compact(Database(immutable: file.path))
        }
        #expect(error?.kind == .corrupt)
    }

    @Test func acceptsCommitsAfterCompaction() throws {
        let source = try Database(
            immutable: Fixtures.own.appending(path: "query/social.realm").path)
        let scratch = ScratchDatabase()
        var options = Compactor.Options()
        options.isTransactional = true
        let result = try scratch.compact(source, options)
        #expect(result.isVerified)
        #expect(try IntegrityCheck.run(path: scratch.path).isClean)
        for _ in 0..<3 {
            let session = try WriteSession(path: scratch.path)
            let transaction = try session.begin()
            let key = try #require(transaction.table(named: "Company"))
            let keys = try session.database.snapshot().table(key).keys()
            try transaction.remove(key, keys[0])
            try transaction.commit()
        }
        try expectSound(scratch.path)
    }

    @Test func compactionNarrowsIntegerLeaves() throws {
        let scratch = ScratchDatabase()
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: scratch.path, options: options)
        var transaction = try session.begin()
        let table = try transaction.createClass("Wide")
        try transaction.addProperty(table, PropertySpec("n", .int))
        let keys = try (0..<200).map { _ in try transaction.create(in: table) }
        for key in keys { try transaction.set(table, key, 0, .int(1 << 40)) }
        try transaction.commit()
        transaction = try session.begin()
        for key in keys { try transaction.set(table, key, 0, .int(1)) }
        try transaction.commit()
        let copy = ScratchDatabase()
        try copy.compact(session.database)
        let database = try Database(immutable: copy.path)
        let info = try #require(database.schema.table(named: "Wide"))
        let snapshot = database.snapshot()
        #expect(try snapshot.table(info).byteSize() < 800)
        #expect(try ScratchDatabase.digests(database) == ScratchDatabase.digests(session.database))
        try expectSound(copy.path)
    }

    @Test("CD-12: exclusive access is refused while a session is open")
    func exclusiveAccessIsRefusedWhileASessionIsOpen() throws {
        // Without other participants, the body runs, and the session can continue afterwards.
        let source = try Database(
            immutable: Fixtures.own.appending(path: "query/social.realm").path)
        let scratch = ScratchDatabase()
        var options = Compactor.Options()
        options.isTransactional = true
        let result = try scratch.compact(source, options)
        #expect(result.isVerified)
        var ran = 0
        try ExclusiveAccess.run(path: scratch.path) { _ in
            ran += 1
            return nil
        }
        // With a participant, exclusive access is refused.
        let session = try WriteSession(path: scratch.path)
        for _ in 0..<3 {
            #expect(throws: RealmError.self) {
                try ExclusiveAccess.run(path: scratch.path) { _ in
                    ran += 1
                    return nil
                }
            }
        }
        withExtendedLifetime(session) {}
        #expect(ran == 1)
    }

    @Test func sharedNodesEndTheCompaction() throws {
        let tree = try FileTree("query/social")
        let bytes = tree.encoded()
        let map = try NodeMap(bytes)
        // The names' next sibling is replaced by the root's tables, so that all nodes are
        // referenced twice.
        let slot = try #require(map.refs.last { $0.place == 0 })
        var damaged = bytes
        let place = map.places[0]
        let width = (1 << Int(place.flags & 7)) >> 4
        for i in 0..<width {
            damaged[place.offset + 8 + slot.index * width + i] =
                bytes[
                    place.offset + 8 + width + i]
        }
        let file = try damaged.withUnsafeBytes { try MappedFile(copying: $0, path: "shared") }
        guard let database = try? Database(file) else { return }
        #expect(throws: RealmError.self) { try Compactor.estimate(database.snapshot()) }
    }
}
