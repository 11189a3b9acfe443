import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Deletion of many objects at once, and its effects on links.
@Suite struct RemovalTests {
    /// Indexes of properties of class `Thing` and of the embedded class `Part`.
    private enum Column {
        static let (link, list, set, dictionary, any, anyList) = (0, 1, 2, 3, 4, 5)
        static let (part, parts, number) = (6, 7, 8)
    }

    private struct World {
        let folder: ScratchFolder
        let path: String
        let session: WriteSession
        let thing: TableKey
        let part: TableKey
        let other: TableKey
        var keys: [ObjectKey] = []
    }

    /// Makes two classes of `count` objects with links of all kinds between them, and nested
    /// embedded objects. The same seed makes the same file.
    private static func world(_ count: Int, seed: UInt64) throws -> World {
        let folder = try ScratchFolder()
        let path = folder.file("links.realm")
        var fanout = Fanout()
        (fanout.clusterLeaf, fanout.tree) = (16, 16)
        let session = try WriteSession(path: path, options: .scratch(fanout))
        let transaction = try session.begin()
        let thing = try transaction.createClass("Thing")
        let other = try transaction.createClass("Other")
        let part = try transaction.createClass("Part", kind: .embedded)
        try addProperties(transaction, thing, part)
        var world = World(
            folder: folder, path: path, session: session, thing: thing, part: part, other: other)
        var link = PropertySpec("to", .link)
        link.target = thing
        try transaction.addProperty(other, link)
        var random = SeededRandom(seed: seed)
        for _ in 0..<count { world.keys.append(try transaction.create(in: thing)) }
        for key in world.keys { try fill(transaction, world, key, &random) }
        for i in 0..<count {
            let key = try transaction.create(in: other)
            // Few targets, so that they have long backlink lists.
            let target = world.keys[i % 5 * count / 5]
            try transaction.set(other, key, 0, .link(ObjectLink(table: thing, key: target)))
        }
        try transaction.commit()
        return world
    }

    private static func addProperties(
        _ transaction: WriteTransaction, _ thing: TableKey, _ part: TableKey
    ) throws {
        let kinds: [CollectionKind?] = [nil, .list, .set, .dictionary]
        for (name, kind) in zip(["link", "list", "set", "dictionary"], kinds) {
            var spec = PropertySpec(name, .link)
            (spec.target, spec.collection) = (thing, kind)
            try transaction.addProperty(thing, spec)
        }
        var any = PropertySpec("any", .mixed)
        any.isIndexed = true
        try transaction.addProperty(thing, any)
        var anyList = PropertySpec("anyList", .mixed)
        anyList.collection = .list
        try transaction.addProperty(thing, anyList)
        var child = PropertySpec("part", .link)
        child.target = part
        try transaction.addProperty(thing, child)
        (child.name, child.collection) = ("parts", .list)
        try transaction.addProperty(thing, child)
        var number = PropertySpec("number", .int)
        number.isIndexed = true
        try transaction.addProperty(thing, number)
        var deeper = PropertySpec("deeper", .link)
        deeper.target = part
        try transaction.addProperty(part, deeper)
    }

    private static func fill(
        _ transaction: WriteTransaction, _ world: World, _ key: ObjectKey,
        _ random: inout SeededRandom
    ) throws {
        let (thing, keys) = (world.thing, world.keys)
        func link(_ i: Int) -> Value { .link(ObjectLink(table: thing, key: keys[i])) }
        let some = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
            Int.random(in: 0..<keys.count, using: &random)
        }
        for (position, i) in some.enumerated() {
            try transaction.insertElement(
                link(i), at: position, in: CollectionLocation(thing, key, Column.list))
            try transaction.insertMember(link(i), into: CollectionLocation(thing, key, Column.set))
            try transaction.insertElement(
                link(i), at: 0, in: CollectionLocation(thing, key, Column.anyList))
            try withText("k\(i)") { (text) throws(RealmError) in
                try transaction.setEntry(
                    .string(text), to: link(i),
                    in: CollectionLocation(thing, key, Column.dictionary))
            }
        }
        guard let first = some.first, let last = some.last else { return }
        try transaction.set(thing, key, Column.link, link(last))
        try transaction.set(thing, key, Column.number, .int(Int64(first)))
        let nested = try transaction.makeList([link(first), .int(1), link(last)])
        try transaction.set(thing, key, Column.any, first % 2 == 0 ? link(first) : nested)
        let child = try transaction.createEmbedded(thing, key, Column.part)
        if first % 3 == 0 { _ = try transaction.createEmbedded(world.part, child, 0) }
        _ = try transaction.insertEmbedded(at: 0, in: CollectionLocation(thing, key, Column.parts))
    }

    private static func withText(
        _ text: String, _ body: (ByteView) throws(RealmError) -> Void
    ) throws {
        try text.withView { view in Result { () throws(RealmError) in try body(view) } }.get()
    }

    private static func digests(_ world: World) throws -> [UInt64] {
        try ModelRun.audit(IntegrityCheck.run(path: world.path), "at the end")
        return try ScratchDatabase.digests(Database(immutable: world.path))
    }

    // MARK: Objects

    @Test(arguments: [1, 2, 3] as [UInt64])
    func removingObjectsAtOnceEqualsRemovingThemOneByOne(_ seed: UInt64) throws {
        let (a, b) = (try Self.world(120, seed: seed), try Self.world(120, seed: seed))
        var random = SeededRandom(seed: seed)
        let doomed = a.keys.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
        let one = try a.session.begin()
        for key in doomed { try one.remove(a.thing, key) }
        try one.commit()
        let all = try b.session.begin()
        // A repeated key counts once.
        try all.remove(b.thing, doomed + doomed.prefix(3))
        try all.commit()
        #expect(try Self.digests(a) == Self.digests(b))
    }

    @Test func removingAllObjectsEqualsRemovingThemOneByOne() throws {
        let (a, b, c) = (
            try Self.world(60, seed: 4), try Self.world(60, seed: 4), try Self.world(60, seed: 4)
        )
        let one = try a.session.begin()
        for key in a.keys { try one.remove(a.thing, key) }
        try one.commit()
        let all = try b.session.begin()
        try all.remove(b.thing, b.keys)
        try all.commit()
        let wholesale = try c.session.begin()
        try wholesale.removeAllObjects(of: [c.thing, c.part])
        try wholesale.commit()
        #expect(try Self.digests(a) == Self.digests(b))
        #expect(try Self.digests(a) == Self.digests(c))
        let snapshot = try Database(immutable: a.path).snapshot()
        for table in snapshot.schema.tables where table.key != a.other {
            if table.isClass { #expect(try snapshot.table(table).count() == 0) }
        }
    }

    /// A class that was emptied accepts new objects in the same transaction.
    @Test func anEmptiedClassIsUsable() throws {
        let world = try Self.world(40, seed: 5)
        let transaction = try world.session.begin()
        try transaction.removeAllObjects(of: [world.thing])
        var keys: [ObjectKey] = []
        for i in 0..<30 {
            let key = try transaction.create(in: world.thing)
            try transaction.set(world.thing, key, Column.number, .int(Int64(i % 7)))
            if let last = keys.last {
                let link = Value.link(ObjectLink(table: world.thing, key: last))
                try transaction.set(world.thing, key, Column.link, link)
            }
            keys.append(key)
        }
        try transaction.remove(world.thing, keys[0..<10])
        try transaction.commit()
        _ = try Self.digests(world)
    }

    /// Objects that do not exist are rejected before anything changes.
    @Test func missingObjectsAreRefused() throws {
        let world = try Self.world(20, seed: 6)
        let before = try Self.digests(world)
        let transaction = try world.session.begin()
        try transaction.remove(world.thing, world.keys[3])
        transaction.rollback()
        let second = try world.session.begin()
        #expect(throws: RealmError.self) {
            try second.remove(world.thing, [world.keys[0], ObjectKey(1 << 40)])
        }
        #expect(!second.hasChanges)
        second.rollback()
        #expect(try Self.digests(world) == before)
    }

    // MARK: Classes and properties

    @Test func droppingPropertiesRemovesTheirBacklinks() throws {
        let world = try Self.world(60, seed: 7)
        for _ in 0..<8 {
            let transaction = try world.session.begin()
            try transaction.removeProperty(world.thing, 0)
            try transaction.commit()
            _ = try Self.digests(world)
        }
        let snapshot = try Database(immutable: world.path).snapshot()
        let part = try #require(snapshot.schema.tables.first { $0.key == world.part })
        #expect(try snapshot.table(part).count() == 0)
    }

    @Test func droppingAClassRemovesItsEmbeddedObjects() throws {
        let world = try Self.world(60, seed: 8)
        let transaction = try world.session.begin()
        #expect(throws: RealmError.self) { try transaction.removeClass(world.thing) }
        try transaction.removeProperty(world.other, 0)
        try transaction.removeClass(world.thing)
        try transaction.commit()
        _ = try Self.digests(world)
        let snapshot = try Database(immutable: world.path).snapshot()
        let part = try #require(snapshot.schema.tables.first { $0.key == world.part })
        #expect(try snapshot.table(part).count() == 0)
    }

    // MARK: Incoming links

    /// A backlink list contains the same links as an array, after any sequence of additions and
    /// removals.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func backlinkListsContainTheRemainingLinks(_ seed: UInt64) throws {
        let world = try Self.world(5, seed: 1)
        let transaction = try world.session.begin()
        let list = try BacklinkList(transaction.context, NodeSlot(raw: 0))
        var model: [Int64: Int] = [:]
        var random = SeededRandom(seed: seed)
        let origins = Int64.random(in: 10...2000, using: &random)
        for step in 0..<20_000 {
            let origin = Int64.random(in: 0..<origins, using: &random)
            if Int.random(in: 0..<10, using: &random) < (step < 8000 ? 7 : 4) {
                try list.append(origin)
                model[origin, default: 0] += 1
            } else {
                #expect(try list.remove(origin) == (model[origin] ?? 0 > 0))
                model[origin] = max(0, (model[origin] ?? 0) - 1)
            }
        }
        var found: [Int64: Int] = [:]
        try list.visit { found[$0, default: 0] += 1 }
        #expect(found == model.filter { $0.value > 0 })
        #expect(list.count == model.values.reduce(0, +))
        transaction.rollback()
    }

    /// The hash table of origins has as many chains as links, also if it was made for fewer.
    @Test func tablesOfOriginsGrow() {
        var positions = OriginPositions(capacity: 0)
        var model: [Int64] = []
        var isRoomy = true
        for i in 0..<10_000 {
            let origin = Int64(i * i % 7919)
            positions.append(origin)
            model.append(origin)
            isRoomy = isRoomy && positions.chainCount >= model.count
        }
        #expect(isRoomy && positions.chainCount < 4 * model.count)
        let present = Set(model)
        for origin in 0..<Int64(7919) {
            let index = positions.index(of: origin)
            #expect(index.map { model[$0] } == (present.contains(origin) ? origin : nil))
            guard let index else { continue }
            positions.remove(at: index)
            model[index] = model[model.count - 1]
            model.removeLast()
        }
    }

    /// Removing all links of a long list reads each of them a few times, in any order of removal.
    @Test(arguments: ["ascending", "descending", "random"])
    func removingLinksReadsTheListAFewTimes(_ order: String) throws {
        let world = try Self.world(5, seed: 1)
        let transaction = try world.session.begin()
        let list = try BacklinkList(transaction.context, NodeSlot(raw: 0))
        let count = 20_000
        for origin in 0..<count { try list.append(Int64(origin)) }
        var origins = Array(0..<count)
        var random = SeededRandom(seed: 9)
        if order == "descending" { origins.reverse() }
        if order == "random" { origins.shuffle(using: &random) }
        for origin in origins { #expect(try list.remove(Int64(origin))) }
        #expect(list.count == 0)
        #expect(list.readCount <= (order == "random" ? 20 : 4) * count)
        transaction.rollback()
    }
}
