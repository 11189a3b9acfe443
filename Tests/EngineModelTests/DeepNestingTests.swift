import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Collections and embedded objects at the maximum nesting depth.
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
    @Test func theDeepestDictionaryCanBeReplacedAndDeleted() throws {
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

    /// Creates a class whose objects contain embedded objects, which contain others of their own
    /// class. `inList` selects lists instead of single links.
    private func createClasses(
        _ transaction: WriteTransaction, inList: Bool
    ) throws -> (root: TableKey, child: TableKey) {
        let root = try transaction.createClass("Root")
        let child = try transaction.createClass("Child", kind: .embedded)
        for table in [root, child] {
            var spec = PropertySpec("child", .link)
            spec.target = child
            if inList { spec.collection = .list }
            try transaction.addProperty(table, spec)
            try transaction.addProperty(table, PropertySpec("any", .mixed))
        }
        return (root, child)
    }

    @Test(arguments: [false, true])
    func embeddedObjectsHaveAMaximumDepth(inList: Bool) throws {
        let begin = try session.begin()
        let (root, child) = try createClasses(begin, inList: inList)
        let object = try begin.create(in: root)
        var (table, parent) = (root, object)
        func createNext() throws -> ObjectKey {
            inList
                ? try begin.createEmbeddedElements(table, parent, 0, count: 1)[0]
                : try begin.createEmbedded(table, parent, 0)
        }
        for _ in 0..<EmbeddedNesting.deepestObject / (inList ? 2 : 1) {
            parent = try createNext()
            table = child
        }
        let refused = #expect(throws: RealmError.self) { _ = try createNext() }
        #expect(refused?.kind == .misuse && refused?.reason == "depth")
        var value = Value.int(1)
        for _ in 0..<Int(CollectionView.maximumDepth) - 1 { value = try begin.makeList([value]) }
        try begin.set(child, parent, 1, value)
        try begin.commit()
        try audit()
        let again = try session.begin()
        let count = EmbeddedNesting.deepestObject / (inList ? 2 : 1)
        #expect(try session.database.snapshot().table(child).count() == count)
        // The nesting depth of an object is now read from the file.
        #expect(throws: RealmError.self) {
            _ =
                inList
                ? try again.createEmbeddedElements(child, parent, 0, count: 1)[0]
                : try again.createEmbedded(child, parent, 0)
        }
        again.rollback()
        let snapshot = session.database.snapshot()
        let digest = ContentDigest(snapshot)
        _ = try digest.digest(snapshot.schema.table(named: "Root")!)
        let edit = try session.begin()
        try edit.remove(root, object)
        try edit.commit()
        #expect(try session.database.snapshot().table(child).count() == 0)
        try audit()
    }
}
