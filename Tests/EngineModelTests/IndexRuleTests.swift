import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Constraints of indexes hold after every edit of the schema and of values.
@Suite struct IndexRuleTests {
    private let folder: ScratchFolder
    private let session: WriteSession

    init() throws {
        folder = try ScratchFolder()
        session = try WriteSession(path: folder.file("rules.realm"), options: .scratch())
    }

    private func report() throws -> IntegrityReport {
        try IntegrityCheck.run(path: folder.file("rules.realm"))
    }

    private func key(_ type: ColumnType, isOptional: Bool = true) -> PropertySpec {
        var spec = PropertySpec("_id", type)
        spec.isOptional = isOptional
        return spec
    }

    private func makeClass(
        _ type: ColumnType, _ keys: [Value]
    ) throws -> (TableKey, WriteTransaction) {
        let transaction = try session.begin()
        let table = try transaction.createClass("A", primaryKey: key(type))
        for key in keys { _ = try transaction.create(in: table, primaryKey: key) }
        return (table, transaction)
    }

    @Test(arguments: [ColumnType.int, .string, .objectID, .uuid])
    func requiringAPrimaryKeyKeepsItUnique(_ type: ColumnType) throws {
        let (table, transaction) = try makeClass(type, [.null, Defaults.zero(type)])
        let error = #expect(throws: RealmError.self) {
            try transaction.setOptional(table, 0, false)
        }
        #expect(error?.kind == .misuse)
        #expect(error?.message.hasPrefix("2 objects of A would have") == true)
        #expect(error?.message.contains("objects 0, 1") == true)
        // Nothing has changed; after removing one of the objects the edit is allowed.
        try transaction.remove(table, ObjectKey(1))
        #expect(try transaction.setOptional(table, 0, false) == 1)
        try transaction.commit()
        #expect(try report().errorCount == 0)
        let next = try session.begin()
        #expect(try next.find(in: table, primaryKey: Defaults.zero(type)) == ObjectKey(0))
        #expect(throws: RealmError.self) {
            try next.create(in: table, primaryKey: Defaults.zero(type))
        }
    }

    @Test func requiringAKeyWithoutNullsChangesNoValue() throws {
        let (table, transaction) = try makeClass(.int, (0..<600).map { .int($0) })
        #expect(try transaction.setOptional(table, 0, false) == 0)
        #expect(try transaction.setOptional(table, 0, true) == 0)
        try transaction.renameProperty(table, 0, to: "id")
        try transaction.renameClass(table, to: "B")
        try transaction.commit()
        #expect(try report().errorCount == 0)
        let next = try session.begin()
        #expect(try next.find(in: table, primaryKey: .int(599)) == ObjectKey(599))
        _ = try next.create(in: table, primaryKey: .null)
        #expect(throws: RealmError.self) { try next.create(in: table, primaryKey: .null) }
    }

    /// The integrity check detects what an edit without the rule would cause.
    @Test(arguments: [true, false]) func theCheckReportsEqualKeys(_ areNull: Bool) throws {
        let (table, transaction) = try makeClass(.string, [.null, Defaults.zero(.string)])
        let editor = try transaction.openEditor(table)
        let value = areNull ? Value.null : Defaults.zero(.string)
        for object in [ObjectKey(0), ObjectKey(1)] {
            try transaction.setCell(editor, object, editor.columns[0], value)
        }
        try transaction.commit()
        let codes = try report().findings.map(\.code)
        #expect(codes.contains(.primaryKeyDuplicate), "\(codes)")
    }

    private func strings(_ count: Int) -> Value {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        return .string(
            arena.copy(bytes.withUnsafeBytes { ByteView($0.baseAddress!, count: count) }))
    }

    private let arena = ByteArena()

    private func makeList(isIndexed: Bool) throws -> (TableKey, ObjectKey, WriteTransaction) {
        let transaction = try session.begin()
        let table = try transaction.createClass("L")
        var spec = PropertySpec("words", .string)
        spec.collection = .list
        spec.isIndexed = isIndexed
        try transaction.addProperty(table, spec)
        return (table, try transaction.create(in: table), transaction)
    }

    /// The error concerns one record, of which nothing is stored.
    @Test func longStringOfAnIndexedListIsRefused() throws {
        let (table, object, transaction) = try makeList(isIndexed: true)
        try transaction.setElements(table, object, 0, [strings(200)])
        for edit in [
            { try transaction.setElements(table, object, 0, [strings(3), strings(201)]) },
            { try transaction.appendElements(table, object, 0, [strings(3), strings(201)]) },
        ] {
            let error = #expect(throws: RealmError.self) { try edit() }
            #expect(error?.kind == .data)
            #expect(error?.code == "LimitExceeded")
        }
        try transaction.commit()
        #expect(try report().errorCount == 0)
        let row = try #require(try session.database.snapshot().table(table).row(object))
        guard case .list(let view) = try row.value(0) else {
            Issue.record("no list")
            return
        }
        var elements = row.table.snapshot.elements(of: view)
        guard case .string(let only)? = try elements.next(), try elements.next() == nil else {
            Issue.record("not one string")
            return
        }
        #expect(only.count == 200)
    }

    @Test func listOfLongStringsIsNotIndexed() throws {
        let (table, object, transaction) = try makeList(isIndexed: false)
        try transaction.setElements(table, object, 0, [strings(200), strings(201)])
        let error = #expect(throws: RealmError.self) {
            try transaction.setIndex(table, 0, .general)
        }
        #expect(error?.kind == .misuse)
        try transaction.setElements(table, object, 0, [strings(200), strings(5)])
        try transaction.setIndex(table, 0, .general)
        try transaction.commit()
        #expect(try report().errorCount == 0)
    }
}
