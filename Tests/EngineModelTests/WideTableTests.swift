import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Tables with many properties, which are added one by one.
@Suite struct WideTableTests {
    private let folder: ScratchFolder
    private let session: WriteSession

    init() throws {
        folder = try ScratchFolder()
        session = try WriteSession(path: folder.file("wide.realm"), options: .scratch())
    }

    /// The total size of copied nodes is at most a small multiple of the final ones.
    @Test func addingPropertiesCopiesFewNodes() throws {
        let transaction = try session.begin()
        let table = try transaction.createClass("Wide")
        let count = 4000
        for i in 0..<count {
            try transaction.addProperty(table, PropertySpec("p\(i)", .int))
        }
        // A leaf and a spec of 4,000 slots, and a node for each property.
        #expect(transaction.size < 64 * count * 8)
        try transaction.commit()
        try ModelRun.audit(IntegrityCheck.run(path: folder.file("wide.realm")), "wide")
    }

    /// Names and leaf indexes are found after every kind of change.
    @Test func propertiesAreFoundAfterEveryChange() throws {
        let transaction = try session.begin()
        let table = try transaction.createClass("A")
        let object = try transaction.create(in: table)
        func position(_ name: String) throws -> Int? {
            try transaction.column(named: name, in: table)
        }
        for i in 0..<40 {
            var spec = PropertySpec("p\(i)", i % 8 == 0 ? .link : .int)
            spec.target = i % 8 == 0 ? table : .none
            try transaction.addProperty(table, spec)
            #expect(try position("p\(i)") == i)
            #expect(try position("p\(i / 2)") == i / 2)
            #expect(try position("q") == nil)
        }
        #expect(throws: RealmError.self) {
            try transaction.addProperty(table, PropertySpec("p7", .int))
        }
        try transaction.renameProperty(table, 20, to: "other")
        try transaction.removeProperty(table, try #require(try position("p3")))
        #expect(try position("p3") == nil)
        for i in 0..<20 { _ = try position("p\(i)") }
        try transaction.renameProperty(table, 25, to: "another")
        #expect(try position("another") == 25)
        #expect(try position("p26") == nil)
        #expect(try position("p20") == nil)
        #expect(try position("other") == 19)
        // The leaf index of a removed property is reused.
        try transaction.addProperty(table, PropertySpec("p3", .int))
        for i in 0..<20 { _ = try position("p\(i)") }
        try transaction.addProperty(table, PropertySpec("last", .int))
        #expect(try position("p3") == 39)
        #expect(try position("last") == 40)
        try transaction.set(table, object, 40, .int(7))
        try transaction.commit()
        let snapshot = try Database(immutable: folder.file("wide.realm")).snapshot()
        let info = try #require(snapshot.schema.table(named: "A"))
        #expect(Set(info.columns.map(\.leafIndex)).count == 41)
        try ModelRun.audit(IntegrityCheck.run(path: folder.file("wide.realm")), "after changes")
    }

    /// Each backlink column is found in a class that is the target of many properties.
    @Test func backlinksOfManyPropertiesAreFound() throws {
        let transaction = try session.begin()
        let target = try transaction.createClass("Target")
        let object = try transaction.create(in: target)
        for i in 0..<60 {
            let table = try transaction.createClass("Origin\(i)")
            var spec = PropertySpec("to", .link)
            spec.target = target
            try transaction.addProperty(table, spec)
            let origin = try transaction.create(in: table)
            try transaction.set(table, origin, 0, .link(ObjectLink(table: target, key: object)))
            if i % 3 == 0 { try transaction.set(table, origin, 0, .null) }
        }
        try transaction.commit()
        let snapshot = try Database(immutable: folder.file("wide.realm")).snapshot()
        let info = try #require(snapshot.schema.table(named: "Target"))
        #expect(info.backlinks.count == 60)
        try ModelRun.audit(IntegrityCheck.run(path: folder.file("wide.realm")), "links")
    }
}
