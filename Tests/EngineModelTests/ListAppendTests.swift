import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares appends to lists with lists that are written as a whole.
@Suite struct ListAppendTests {
    private func session(_ path: String) throws -> WriteSession {
        var options = WriteSession.Options.scratch()
        // Three elements fill a leaf, three children a node.
        options.fanout.tree = 3
        return try WriteSession(path: path, options: options)
    }

    @Test func appendingReachesEveryHeight() throws {
        let folder = try ScratchFolder()
        let session = try session(folder.file("append.realm"))
        var transaction = try session.begin()
        let table = try transaction.createClass("Series")
        var numbers = PropertySpec("numbers", .int)
        numbers.collection = .list
        try transaction.addProperty(table, numbers)
        let object = try transaction.create(in: table)
        try transaction.commit()
        for i in 0..<60 {
            transaction = try session.begin()
            // One, two or three appends at a time, some in one transaction.
            for j in 0...(i % 3) {
                try transaction.appendElements(
                    table, object, 0, (0...j).map { .int(Int64(i * 100 + j * 10 + $0)) })
            }
            try transaction.commit()
        }
        var expected: [Int64] = []
        for i in 0..<60 {
            for j in 0...(i % 3) {
                for k in 0...j { expected.append(Int64(i * 100 + j * 10 + k)) }
            }
        }
        let snapshot = session.database.snapshot()
        let row = try #require(try snapshot.table(table).row(object))
        guard case .list(let view) = try row.value(0) else {
            Issue.record("no list")
            return
        }
        var cursor = snapshot.elements(of: view)
        var found: [Int64] = []
        while case .int(let number)? = try cursor.next() { found.append(number) }
        #expect(found == expected)
        #expect(IntegrityCheck(session.database, level: .full).run().isClean)
    }

    @Test func appendingUpdatesBacklinksAndFullTextIndexes() throws {
        let folder = try ScratchFolder()
        let session = try session(folder.file("links.realm"))
        var transaction = try session.begin()
        let table = try transaction.createClass("Node")
        var next = PropertySpec("next", .link)
        next.collection = .list
        next.target = table
        try transaction.addProperty(table, next)
        var words = PropertySpec("words", .string)
        words.collection = .list
        words.isIndexed = true
        try transaction.addProperty(table, words)
        let keys = try (0..<5).map { _ in try transaction.create(in: table) }
        try transaction.commit()
        transaction = try session.begin()
        let texts = ["one", "two", "one"].map { Array($0.utf8) }
        for i in 0..<20 {
            let link = ObjectLink(table: table, key: keys[i * 7 % 5])
            try transaction.appendElements(table, keys[i % 3], 0, [.link(link)])
            try texts[i % 3].withUnsafeBytes {
                let word = Value.string(ByteView($0.baseAddress!, count: $0.count))
                try transaction.appendElements(table, keys[i % 4], 1, [word])
            }
        }
        try transaction.commit()
        #expect(IntegrityCheck(session.database, level: .full).run().isClean)
        let query = try Query("next.@count == 7 OR ANY words == 'two'")
        let snapshot = session.database.snapshot()
        let plan = try QueryPlan(
            try query.bound(to: try snapshot.table(table)), in: snapshot)
        #expect(try plan.count(in: snapshot) == 4)
    }

    @Test func appendingInvalidValuesIsRefused() throws {
        let folder = try ScratchFolder()
        let session = try session(folder.file("refused.realm"))
        let transaction = try session.begin()
        let table = try transaction.createClass("Node")
        var numbers = PropertySpec("numbers", .int)
        numbers.collection = .list
        try transaction.addProperty(table, numbers)
        try transaction.addProperty(table, PropertySpec("number", .int))
        let object = try transaction.create(in: table)
        let wrong: [(column: Int, value: Value, kind: RealmError.Kind)] = [
            (0, .double(1), .data), (0, .null, .data), (1, .int(1), .misuse),
        ]
        for (column, value, kind) in wrong {
            #expect {
                try transaction.appendElements(table, object, column, [value])
            } throws: {
                ($0 as? RealmError)?.kind == kind
            }
        }
        #expect(throws: RealmError.self) {
            try transaction.appendElements(table, ObjectKey(7), 0, [.int(1)])
        }
        transaction.rollback()
    }
}
