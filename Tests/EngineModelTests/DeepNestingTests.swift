import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Collections and embedded objects nested as deep as they can be written.
@Suite struct DeepNestingTests {
    private let folder: ScratchFolder
    private let session: WriteSession

    init() throws {
        folder = try ScratchFolder()
        session = try WriteSession(path: folder.file("deep.realm"), options: .scratch())
    }

    private func audit() throws {
        try ModelRun.audit(IntegrityCheck.run(path: folder.file("deep.realm")), "at the end")
    }

    /// A dictionary of three nodes at each of the levels that the format allows.
    @Test func deepestDictionaryCanBeReplacedAndDeleted() throws {
        let begin = try session.begin()
        let table = try begin.createClass("C")
        try begin.addProperty(table, PropertySpec("any", .mixed))
        let objects = [try begin.create(in: table), try begin.create(in: table)]
        for object in objects {
            var value = Value.int(1)
            for _ in 0..<Int(CollectionView.maximumDepth) - 1 {
                value = try begin.makeDictionary([(.string(ByteView.empty), value)])
            }
            try begin.set(table, object, 0, value)
        }
        try begin.commit()
        try audit()
        let edit = try session.begin()
        try edit.set(table, objects[0], 0, .null)
        try edit.remove(table, objects[1])
        try edit.commit()
        #expect(try session.database.snapshot().table(table).count() == 1)
        try audit()
    }

    @Test func deepEmbeddedObjectsAreDigestedAndDeleted() throws {
        let begin = try session.begin()
        let root = try begin.createClass("Root")
        let child = try begin.createClass("Child", kind: .embedded)
        for table in [root, child] {
            var spec = PropertySpec("child", .link)
            spec.target = child
            try begin.addProperty(table, spec)
        }
        let object = try begin.create(in: root)
        var (table, parent) = (root, object)
        for _ in 0..<EmbeddedNesting.limit - 1 {
            parent = try begin.createEmbedded(table, parent, 0)
            table = child
        }
        try begin.commit()
        try audit()
        let digest = ContentDigest(session.database.snapshot())
        _ = try digest.digest(session.database.snapshot().schema.table(named: "Root")!)
        let edit = try session.begin()
        try edit.remove(root, object)
        try edit.commit()
        #expect(try session.database.snapshot().table(child).count() == 0)
        try audit()
    }
}
