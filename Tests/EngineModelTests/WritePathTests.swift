import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Regressions found by the model, crash and fault tests, and cases too large for these tests.
@Suite struct WritePathTests {
    private let folder: ScratchFolder
    private let session: WriteSession

    init() throws {
        folder = try ScratchFolder()
        session = try WriteSession(path: folder.file("write.realm"), options: .scratch())
    }

    private func audit() throws {
        try ModelRun.audit(IntegrityCheck.run(path: folder.file("write.realm")), "at the end")
    }

    private func makeClass(_ specs: PropertySpec...) throws -> TableKey {
        let transaction = try session.begin()
        let table = try transaction.createClass("C")
        for spec in specs { try transaction.addProperty(table, spec) }
        try transaction.commit()
        return table
    }

    private func withBlob<R>(_ count: Int, _ body: (Value) throws -> R) rethrows -> R {
        let arena = ByteArena()
        let bytes = arena.allocate(count)
        bytes.initializeMemory(as: UInt8.self, repeating: 0x5A, count: count)
        return try body(.binary(ByteView(bytes, count: count)))
    }

    @Test func aDroppedTransactionReleasesItsTurn() throws {
        let table = try makeClass()
        _ = try session.begin().create(in: table)
        try session.begin(.none).rollback()
        #expect(try session.database.snapshot().table(table).count() == 0)
        try audit()
    }

    @Test func aSessionEndsWithADroppedTransaction() throws {
        weak var ended: WriteSession?
        do {
            var options = WriteSession.Options()
            options.creates = true
            let other = try WriteSession(path: folder.file("other.realm"), options: options)
            ended = other
            _ = try other.begin()
        }
        #expect(ended == nil)
    }

    /// The index caches the value that all objects of a list share. The cache must not reference
    /// the bytes of the cell that changes.
    @Test func aSharedIndexValueDoesNotReferenceItsCell() throws {
        var spec = PropertySpec("s", .string)
        spec.isIndexed = true
        let table = try makeClass(spec)
        let transaction = try session.begin()
        var objects: [ObjectKey] = []
        for _ in 0..<3 {
            let object = try transaction.create(in: table)
            try Self.text("abcdx") { try transaction.set(table, object, 0, $0) }
            objects.append(object)
        }
        try Self.text("abcdy") { try transaction.set(table, objects[0], 0, $0) }
        let last = try transaction.create(in: table)
        try Self.text("abcdx") { try transaction.set(table, last, 0, $0) }
        try transaction.commit()
        try audit()
    }

    private static func text(_ text: String, _ body: (Value) throws -> Void) rethrows {
        let arena = ByteArena()
        let bytes = Array(text.utf8)
        try bytes.withUnsafeBytes {
            try body(.string(arena.copy(ByteView($0.baseAddress!, count: $0.count))))
        }
    }

    @Test func aRefusedEmbeddedObjectChangesNothing() throws {
        let parent = try makeClass()
        let transaction = try session.begin()
        let child = try transaction.createClass("Child", kind: .embedded)
        for collection in [nil, CollectionKind.list, .dictionary] {
            var spec = PropertySpec("\(collection?.rawValue ?? "one")", .link)
            spec.target = child
            spec.collection = collection
            try transaction.addProperty(parent, spec)
        }
        let object = try transaction.create(in: parent)
        let missing = ObjectKey(99)
        let key = Value.string(ByteView.empty)
        #expect(throws: RealmError.self) {
            try transaction.createEmbedded(parent, missing, 0)
        }
        #expect(throws: RealmError.self) {
            try transaction.createEmbeddedElements(parent, missing, 1, count: 2)
        }
        #expect(throws: RealmError.self) {
            try transaction.createEmbeddedEntries(parent, missing, 2, [(key, false)])
        }
        #expect(throws: RealmError.self) {
            try transaction.createEmbeddedEntries(
                parent, object, 2, [(key, false), (key, false)])
        }
        try transaction.commit()
        #expect(try session.database.snapshot().table(child).count() == 0)
        try audit()
    }

    @Test func aSetRefusesCollections() throws {
        var spec = PropertySpec("set", .mixed)
        spec.collection = .set
        let table = try makeClass(spec)
        let transaction = try session.begin()
        let object = try transaction.create(in: table)
        let list = try transaction.makeList([])
        #expect(throws: RealmError.self) {
            try transaction.setElements(table, object, 0, [list])
        }
    }

    @Test func aPropertyNamedUnderscoreCanBeIndexed() throws {
        let table = try makeClass(PropertySpec("_", .int))
        let transaction = try session.begin()
        try transaction.setIndex(table, 0, .general)
        try transaction.commit()
        #expect(session.database.schema.table(table)?.columns[0].index == .general)
        try audit()
    }

    @Test func aRequiredDictionaryRefusesNulls() throws {
        var spec = PropertySpec("d", .int)
        spec.collection = .dictionary
        spec.isOptional = true
        let table = try makeClass(spec)
        let transaction = try session.begin()
        let object = try transaction.create(in: table)
        try transaction.setEntries(table, object, 0, [(.string(ByteView.empty), .null)])
        #expect(try transaction.setOptional(table, 0, false) == 1)
        try transaction.commit()
        let row = try #require(try session.database.snapshot().table(table).row(object))
        guard case .dictionary(let view) = try row.value(0) else {
            Issue.record("no dictionary")
            return
        }
        var entries = try row.table.snapshot.entries(of: view)
        guard case .int(0)? = try entries.next()?.value else {
            Issue.record("null is still there")
            return
        }
        try audit()
    }

    /// Free chunks that are large enough for a commit in total, but each too small for one node.
    @Test func aLargeNodeIsPlacedDespiteFragmentation() throws {
        let table = try makeClass(PropertySpec("blob", .binary))
        var keys: [ObjectKey] = []
        for _ in 0..<120 {
            let transaction = try session.begin()
            let key = try transaction.create(in: table)
            try withBlob(9000) { try transaction.set(table, key, 0, $0) }
            keys.append(key)
            try transaction.commit()
        }
        var transaction = try session.begin()
        for i in stride(from: 0, to: keys.count, by: 2) { try transaction.remove(table, keys[i]) }
        try transaction.commit()
        for size in [20_000, 100_000, 400_000] {
            transaction = try session.begin()
            try withBlob(size) { try transaction.set(table, keys[1], 0, $0) }
            for _ in 0..<50 { _ = try transaction.create(in: table) }
            try transaction.commit()
        }
        try audit()
    }

    /// No node may cross a multiple of 64 MiB, whatever its size and wherever free space is.
    @Test func largeNodesDoNotCrossSections() throws {
        let table = try makeClass(PropertySpec("blob", .binary))
        let largest = ValueCheck.maximumBinarySize
        var keys: [ObjectKey] = []
        for size in [largest, largest, largest - 4000, largest, 5_000_000, largest] {
            let transaction = try session.begin()
            let key = try transaction.create(in: table)
            try withBlob(size) { try transaction.set(table, key, 0, $0) }
            keys.append(key)
            try transaction.commit()
        }
        let transaction = try session.begin()
        for key in keys { try transaction.remove(table, key) }
        try transaction.commit()
        try session.begin().commit()
        // Now one free chunk contains the boundary.
        let second = try session.begin()
        for size in [largest, largest, 9_000_000, largest, largest] {
            let key = try second.create(in: table)
            try withBlob(size) { try second.set(table, key, 0, $0) }
        }
        try second.commit()
        try audit()
    }
}
