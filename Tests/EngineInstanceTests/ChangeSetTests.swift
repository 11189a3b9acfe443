import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct ChangeSetTests {
    private static let shards = Array(0..<4)

    /// Compares versions of a random database, adjacent and distant ones, with a comparison of
    /// their whole contents.
    @Test(arguments: shards) func changeSetsEqualAFullComparison(_ shard: Int) throws {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        let folder = try ScratchFolder()
        var shape = ModelShapes.shape(shard)
        shape.isComparing = false
        shape.operationsPerTransaction = [2, 40, 10, 5][shard]
        let run = try ModelRun(
            path: folder.file("changes.realm"), seed: seed &+ UInt64(shard), shape: shape)
        var random = SeededRandom(seed: seed &+ UInt64(shard) &+ 77)
        var held: [(snapshot: Snapshot, content: PlainContent)] = []
        var pairs = 0
        while pairs < 500 * ModelShapes.scale {
            try run.step()
            let now = run.session!.database.snapshot()
            if now.version == held.last?.snapshot.version { continue }
            let content = try PlainContent(now)
            for (before, old) in held {
                pairs += 1
                let found = try ChangeSet(from: before, to: now).lines
                let expected = try PlainContent.difference((old, before), (content, now))
                try #require(
                    found == expected,
                    "seed \(seed) shard \(shard) pair \(pairs): \(run.trace.joined(separator: "; "))"
                )
            }
            held.append((now, content))
            if held.count > 3 { held.remove(at: Int(random.next() % 3)) }
        }
        held = []
        try run.close()
        try ModelRun.audit(IntegrityCheck.run(path: run.path), "at the end")
    }

    private func people(_ count: Int, in folder: ScratchFolder) throws -> (WriteSession, TableKey) {
        let session = try WriteSession(path: folder.file("people.realm"), options: .scratch())
        let transaction = try session.begin()
        let table = try transaction.createClass("Person")
        try transaction.addProperty(table, PropertySpec("age", .int))
        try transaction.addProperty(table, PropertySpec("name", .string))
        try transaction.addProperty(table, PropertySpec("score", .double))
        for i in 0..<count {
            let key = try transaction.create(in: table)
            try transaction.set(table, key, 0, .int(Int64(i)))
        }
        try transaction.commit()
        return (session, table)
    }

    /// The cost depends on the change, not on the table: 1,000,000 objects in the scaled run.
    @Test func comparingOneChangeReadsFewNodes() throws {
        let count = ModelShapes.scale > 1 ? 1_000_000 : 20_000
        let folder = try ScratchFolder()
        let (session, table) = try people(count, in: folder)
        let before = session.database.snapshot()
        let transaction = try session.begin()
        let key = try before.table(table).keys()[count / 3]
        try transaction.set(table, key, 2, .double(0.5))
        try transaction.commit()
        let after = session.database.snapshot()
        let base = opened(before) + opened(after)
        let changes = try ChangeSet(from: before, to: after)
        let touched = opened(before) + opened(after) - base
        #expect(changes.tables.count == 1)
        #expect(changes[table]?.modifications == [key])
        #expect(changes[table]?.changedColumns(0) == [2])
        #expect(touched < 200, "\(touched) nodes")
        #if DEBUG
            #expect(touched > 4)
        #endif
        if ModelShapes.scale > 1 { print("\(touched) nodes of \(count) objects touched") }
    }

    /// Number of opened nodes, counted in debug builds only.
    private func opened(_ snapshot: Snapshot) -> Int {
        #if DEBUG
            snapshot.lookup.state.pointee.opened + snapshot.walk.state.pointee.opened
        #else
            0
        #endif
    }

    @Test func sameVersionHasNoChanges() throws {
        let folder = try ScratchFolder()
        let (session, table) = try people(300, in: folder)
        let before = session.database.snapshot()
        #expect(try ChangeSet(from: before, to: session.database.snapshot()).isEmpty)
        // Assigning an equal value is not a change.
        let transaction = try session.begin()
        try transaction.set(table, ObjectKey(5), 0, .int(5))
        try transaction.commit()
        #expect(try ChangeSet(from: before, to: session.database.snapshot()).isEmpty)
    }

    @Test func ownersOfEmbeddedObjectsAreModified() throws {
        let folder = try ScratchFolder()
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: folder.file("e.realm"), options: options)
        var transaction = try session.begin()
        let owner = try transaction.createClass("Owner")
        let child = try transaction.createClass("Child", kind: .embedded)
        try transaction.addProperty(child, PropertySpec("n", .int))
        for table in [owner, child] {
            var spec = PropertySpec("child", .link)
            spec.target = child
            try transaction.addProperty(table, spec)
        }
        let object = try transaction.create(in: owner)
        let other = try transaction.create(in: owner)
        let first = try transaction.createEmbedded(owner, object, 0)
        let second = try transaction.createEmbedded(child, first, 1)
        try transaction.commit()
        let before = session.database.snapshot()
        transaction = try session.begin()
        try transaction.set(child, second, 0, .int(3))
        try transaction.commit()
        let after = session.database.snapshot()
        let changes = try ChangeSet(from: before, to: after)
        #expect(changes[owner] == nil)
        #expect(changes[child]?.modifications == [second])
        let whole = try changes.attributingEmbedded(in: after)
        #expect(whole[owner]?.modifications == [object])
        #expect(whole[owner]?.changedColumns(0) == [0])
        #expect(whole[child]?.modifications == [first, second].sorted())
        _ = other
    }

    @Test("ACT-54 ACT-55: key path filters cover own properties and properties across links")
    func keyPathFiltersFollowLinks() throws {
        let folder = try ScratchFolder()
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: folder.file("f.realm"), options: options)
        var transaction = try session.begin()
        let table = try transaction.createClass("Node")
        try transaction.addProperty(table, PropertySpec("n", .int))
        var spec = PropertySpec("next", .link)
        spec.target = table
        try transaction.addProperty(table, spec)
        // A chain of seven objects, in which each links to the next.
        let keys = try (0..<7).map { _ in try transaction.create(in: table) }
        for i in 0..<6 {
            try transaction.set(
                table, keys[i], 1, .link(ObjectLink(table: table, key: keys[i + 1])))
        }
        try transaction.commit()
        let before = session.database.snapshot()
        transaction = try session.begin()
        try transaction.set(table, keys[6], 0, .int(1))
        try transaction.commit()
        let after = session.database.snapshot()
        let changes = try ChangeSet(from: before, to: after)
        let info = try #require(after.schema.table(table))
        let seen = { (filter: ChangeFilter) throws -> [Int] in
            let probe = ChangeProbe(changes, filter, from: before, to: after)
            return try keys.indices.filter { try probe.isModified(keys[$0]) }
        }
        #expect(try seen(.own(table)) == [6])
        // The default filter follows four links.
        #expect(try seen(.linked(table)) == [2, 3, 4, 5, 6])
        #expect(try seen(ChangeFilter(["next.n"], in: info, after.schema)) == [5])
        #expect(try seen(ChangeFilter(["next.next.*"], in: info, after.schema)) == [4])
        #expect(try seen(ChangeFilter(["next"], in: info, after.schema)) == [])
        #expect(throws: RealmError.self) {
            try ChangeFilter(["next.x"], in: info, after.schema)
        }
        let probe = ChangeProbe(
            changes, try ChangeFilter(["next.n"], in: info, after.schema), from: before, to: after)
        #expect(try probe.changedColumns(of: keys[5]) == [1])
    }
}
