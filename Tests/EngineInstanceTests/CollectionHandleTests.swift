import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Reads and changes of single elements through collection handles. The model tests check that such
/// changes keep the file valid for all element types.
@Suite struct CollectionHandleTests {
    /// An object with a list of strings, a set and a dictionary of integers, and a mixed value.
    private final class Lab {
        enum Property: Int { case names, numbers, scores, any }

        let folder: ScratchFolder
        let instance: Instance
        let handle: ObjectHandle

        init() throws {
            folder = try ScratchFolder()
            var configuration = Instance.Configuration(path: folder.file("collections.realm"))
            configuration.isDurable = false
            configuration.creation = .ifMissing
            let instance = try Instance.open(configuration)
            let made = try instance.write { (transaction) throws(RealmError) in
                let table = try transaction.createClass("Thing")
                for (name, type, kind) in [
                    ("names", ColumnType.string, CollectionKind.list), ("numbers", .int, .set),
                    ("scores", .int, .dictionary),
                ] {
                    var spec = PropertySpec(name, type)
                    spec.collection = kind
                    try transaction.addProperty(table, spec)
                }
                var any = PropertySpec("any", .mixed)
                any.isOptional = true
                try transaction.addProperty(table, any)
                return ObjectLink(table: table, key: try transaction.create(in: table))
            }
            self.instance = instance
            let objects = try #require(ObjectClass(instance, made.table))
            handle = try ObjectHandle(objects, made.key)
        }

        func collection(_ property: Property) -> CollectionHandle {
            CollectionHandle(handle, property.rawValue)
        }

        func frozen(_ property: Property) throws -> CollectionHandle {
            let objects = try #require(
                ObjectClass(try instance.freeze(), handle.objects.key))
            return CollectionHandle(
                try ObjectHandle(objects, handle.key), property.rawValue)
        }

        /// The instructions that the open transaction has logged so far, as text.
        func logged() throws -> [String] {
            var parser = ChangeLogParser(instance.write.changeset.rest)
            var words: [String] = []
            while let instruction = try parser.next() {
                switch instruction {
                case .collectionInsert(let i): words.append("insert \(i)")
                case .collectionSet(let i): words.append("set \(i)")
                case .collectionMove(let from, let to): words.append("move \(from) \(to)")
                case .collectionErase(let i): words.append("erase \(i)")
                case .collectionClear(let count): words.append("clear \(count)")
                case .selectCollection(_, _, let path): words.append("path \(path.count)")
                default: continue
                }
            }
            return words
        }

        func end() throws {
            let path = instance.database.path
            instance.close()
            try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
        }
    }

    private static func with<R>(
        _ text: String, _ body: (Value) throws -> R
    ) throws -> R {
        try text.withView { view in Result { try body(.string(view)) } }.get()
    }

    private static func text(_ value: Value) -> String {
        if case .string(let view) = value { return view.string }
        return "\(value)"
    }

    private static func texts(_ list: CollectionHandle) throws -> [String] {
        try (0..<list.count).map { try text(list.element(at: $0)) }
    }

    /// Compares a list with an array, in the transaction, after it, and frozen.
    @Test func listHandlesEqualAnArray() throws {
        var random = SeededRandom.fresh("lists")
        let lab = try Lab()
        let list = lab.collection(.names)
        var model: [String] = []
        for round in 0..<30 {
            try lab.instance.beginWrite()
            for step in 0..<random.below(40) {
                let word =
                    "word \(round).\(step) " + String(repeating: "x", count: random.below(90))
                let at = model.isEmpty ? 0 : random.below(model.count)
                switch random.below(model.isEmpty ? 3 : 8) {
                case 0, 1, 2:
                    try Self.with(word) { try list.insert($0, at: at) }
                    model.insert(word, at: at)
                case 3:
                    try Self.with(word) { try list.append($0) }
                    model.append(word)
                case 4:
                    try Self.with(word) { try list.set($0, at: at) }
                    model[at] = word
                case 5:
                    try list.remove(at: at)
                    model.remove(at: at)
                case 6:
                    let to = random.below(model.count)
                    try list.move(from: at, to: to)
                    model.insert(model.remove(at: at), at: to)
                default:
                    let other = random.below(model.count)
                    try list.swap(at, other)
                    model.swapAt(at, other)
                }
            }
            #expect(try Self.texts(list) == model)
            try lab.instance.commitWrite()
            #expect(try Self.texts(list) == model)
            #expect(try Self.texts(lab.frozen(.names)) == model)
        }
        #expect(throws: RealmError.self) { try list.element(at: model.count) }
        try lab.end()
    }

    @Test func setAndDictionaryHandlesChangeTheirCollections() throws {
        let lab = try Lab()
        let (set, entries) = (lab.collection(.numbers), lab.collection(.scores))
        try lab.instance.beginWrite()
        for i in [5, 3, 9, 3, 5] as [Int64] { _ = try set.insert(.int(i)) }
        #expect(try !set.insert(.int(9)))
        #expect(try set.remove(.int(3)) && !set.remove(.int(3)))
        for (key, score) in [("b", 1), ("a", 2), ("b", 3)] {
            try Self.with(key) { try entries.set(.int(Int64(score)), forKey: $0) }
        }
        try lab.instance.commitWrite()
        #expect(try (0..<set.count).map { try set.element(at: $0).int() } == [5, 9])
        #expect(try (0..<entries.count).map { try Self.text(entries.key(at: $0)) } == ["a", "b"])
        #expect(try Self.with("b") { try entries.value(forKey: $0)?.int() } == 3)
        #expect(try Self.with("c") { try entries.value(forKey: $0)?.int() } == nil)
        try lab.instance.beginWrite()
        #expect(try Self.with("a") { try entries.remove(forKey: $0) })
        try set.removeAll()
        #expect(try set.count == 0 && entries.count == 1)
        try lab.instance.commitWrite()
        try lab.end()
    }

    @Test func nestedCollectionsAreReadAndChanged() throws {
        let lab = try Lab()
        try lab.instance.beginWrite()
        let transaction = lab.instance.write
        let inner = try transaction.makeList([.int(1), .int(2)])
        try lab.handle.set(Lab.Property.any.rawValue, try transaction.makeList([.null, inner]))
        let outer = lab.collection(.any)
        try outer.nested(.index(1)).insert(.int(7), at: 1)
        try lab.instance.commitWrite()
        let list = outer.nested(.index(1))
        #expect(try (0..<list.count).map { try list.element(at: $0).int() } == [1, 7, 2])
        try lab.instance.beginWrite()
        try Self.with("k") { key in
            try outer.set(try lab.instance.write.makeDictionary([(key, .int(1))]), at: 0)
        }
        let entries = outer.nested(.index(0))
        try Self.with("l") { try entries.set(.bool(true), forKey: $0) }
        try outer.remove(at: 1)
        #expect(try entries.count == 2 && outer.count == 1)
        #expect(throws: RealmError.self) { try list.count }
        try lab.instance.commitWrite()
        #expect(try Self.with("k") { try entries.value(forKey: $0)?.int() } == 1)
        try lab.end()
    }

    /// Changes are logged as single steps, which observers in the reference engine depend on.
    @Test func changesAreLoggedAsSingleSteps() throws {
        let lab = try Lab()
        try lab.instance.beginWrite()
        let list = lab.collection(.names)
        for word in ["a", "b", "c", "d"] { try Self.with(word) { try list.append($0) } }
        try list.swap(3, 0)
        try list.swap(1, 2)
        try list.move(from: 2, to: 0)
        try Self.with("e") { try list.set($0, at: 1) }
        try list.remove(at: 3)
        try list.removeAll()
        #expect(
            try lab.logged() == [
                "path 0", "insert 0", "insert 1", "insert 2", "insert 3", "move 3 0", "move 1 3",
                "move 2 1", "move 2 0", "set 1", "erase 3", "clear 3",
            ])
        lab.instance.cancelWrite()
        try lab.instance.beginWrite()
        let transaction = lab.instance.write
        let inner = try transaction.makeList([.int(1)])
        try lab.handle.set(Lab.Property.any.rawValue, try transaction.makeList([inner]))
        try lab.collection(.any).append(.null)
        try lab.collection(.any).nested(.index(0)).append(.int(2))
        #expect(try lab.logged() == ["path 0", "insert 1", "path 1", "insert 1"])
        try lab.instance.commitWrite()
        try lab.end()
    }
}
