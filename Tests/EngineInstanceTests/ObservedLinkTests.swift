import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Default depth and key paths of observers of an object.
@Suite struct ObservedLinkTests {
    @Test("ACT-54 ACT-55: changes of linked objects are reported along key paths only")
    func changesOfLinkedObjectsAreReportedAlongKeyPaths() throws {
        let here = try LoopLab(3)
        let (keys, table, instance, diary) = (here.keys, here.lab.table, here.instance, here.diary)
        try here.write { (transaction) throws(RealmError) in
            var spec = PropertySpec("friend", .link)
            spec.target = table
            try transaction.addProperty(table, spec)
            for i in 0..<2 {
                try transaction.set(
                    table, keys[i], 1, .link(ObjectLink(table: table, key: keys[i + 1])))
            }
        }
        let info = try #require(instance.schema.table(table))
        var tokens: [ObservationToken] = []
        for path in ["age", "friend", "friend.age", "friend.friend.age"] {
            let filter = try ChangeFilter([path], in: info, instance.schema)
            tokens.append(
                instance.observe(object: here.link(0), filter) { diary.note($0.text(path)) })
        }
        here.observeObject(0)
        func notifications(_ index: Int, _ column: Int, _ value: Value) throws -> [String] {
            try here.write { (transaction) throws(RealmError) in
                try transaction.set(table, keys[index], column, value)
            }
            here.loop.run()
            return here.news()
        }
        #expect(try notifications(1, 0, .int(10)) == ["friend.age changed([1])"])
        #expect(try notifications(2, 0, .int(10)) == ["friend.friend.age changed([1])"])
        #expect(try notifications(0, 0, .int(10)) == ["age changed([0])", "object changed([0])"])
        #expect(
            try notifications(0, 1, .link(ObjectLink(table: table, key: keys[2]))) == [
                "friend changed([1])", "friend.age changed([1])", "friend.friend.age changed([1])",
                "object changed([1])",
            ])
        // Along a key path, assigning an equal value counts as a change.
        #expect(try notifications(2, 0, .int(10)) == ["friend.age changed([1])"])
        tokens = []
        try here.audit()
    }
}
