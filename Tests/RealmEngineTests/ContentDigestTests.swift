import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The content digest depends on content only, not on storage.
@Suite struct ContentDigestTests {
    /// Ways to store the same objects, or one changed object.
    private struct Way {
        var isReversed = false
        var hasDetour = false
        var change: (name: Int, to: Int64)?
    }

    private func path() -> String {
        FileManager.default.temporaryDirectory.path + "/digest-\(UUID().uuidString).realm"
    }

    /// Returns the digest of a class with primary keys, a set, a list and a link to the next
    /// object.
    private func digest(_ way: Way) throws -> UInt64 {
        let path = path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: path, options: options)
        var transaction = try session.begin()
        let table = try transaction.createClass("Thing", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(table, PropertySpec("value", .int))
        var set = PropertySpec("set", .int)
        set.collection = .set
        try transaction.addProperty(table, set)
        if way.hasDetour {
            // Moves all later objects to other keys and offsets.
            for i in Int64(100)..<130 { _ = try transaction.create(in: table, primaryKey: .int(i)) }
            try transaction.commit()
            transaction = try session.begin()
        }
        let ids: [Int64] = way.isReversed ? (0..<40).reversed() : Array(0..<40)
        for id in ids {
            let key = try transaction.create(in: table, primaryKey: .int(id))
            var value = id * 7
            if let change = way.change, change.name == Int(id) { value = change.to }
            try transaction.set(table, key, 1, .int(value))
            try transaction.setElements(table, key, 2, (0..<id % 5).map { .int($0) })
        }
        if way.hasDetour {
            for i in 100..<130 {
                let key = try #require(try transaction.find(in: table, primaryKey: .int(Int64(i))))
                try transaction.remove(table, key)
            }
        }
        try transaction.commit()
        let snapshot = try Database(immutable: path).snapshot()
        let info = try #require(snapshot.schema.table(named: "Thing"))
        return try ContentDigest(snapshot).digest(info)
    }

    @Test func digestDependsOnContentNotOnPositions() throws {
        let plain = try digest(Way())
        #expect(try digest(Way()) == plain)
        #expect(try digest(Way(isReversed: true)) == plain)
        #expect(try digest(Way(hasDetour: true)) == plain)
        #expect(try digest(Way(change: (name: 3, to: 22))) != plain)
        #expect(try digest(Way(change: (name: 3, to: 21))) == plain)
    }

    @Test func combinedDigestDependsOnOrder() {
        #expect(ContentDigest.combined([1, 2]) != ContentDigest.combined([2, 1]))
        #expect(ContentDigest.combined([]) != ContentDigest.combined([0]))
    }
}
