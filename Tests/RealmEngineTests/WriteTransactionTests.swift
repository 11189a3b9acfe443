import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Writes with transactions and reads the results through a new database.
@Suite struct WriteTransactionTests {
    private func text(_ string: String) -> Value {
        // Never freed, since the value only references its bytes.
        let bytes = Array(string.utf8)
        let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        bytes.withUnsafeBytes {
            copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count)
        }
        return .string(ByteView(copy, count: bytes.count))
    }

    @Test func writesAndReadsBack() throws {
        let directory = try ScratchFolder()
        let path = directory.file("written.realm")
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: path, options: options)
        var t = try session.begin()
        let dog = try t.createClass("Dog")
        try t.addProperty(dog, PropertySpec("name", .string))
        var age = PropertySpec("age", .int)
        age.isOptional = true
        try t.addProperty(dog, age)
        var friends = PropertySpec("friends", .link)
        friends.collection = .list
        friends.target = dog
        try t.addProperty(dog, friends)
        var best = PropertySpec("best", .link)
        best.target = dog
        try t.addProperty(dog, best)
        try t.addProperty(dog, PropertySpec("any", .mixed))
        try t.commit()
        var keys: [ObjectKey] = []
        for round in 0..<20 {
            t = try session.begin()
            for i in 0..<100 {
                let key = try t.create(in: dog)
                keys.append(key)
                try t.set(dog, key, 0, text("dog \(round) \(i)" + String(repeating: "x", count: i)))
                if i % 3 == 0 { try t.set(dog, key, 1, .int(Int64(i * 1000))) }
                try t.set(dog, key, 3, .link(ObjectLink(table: dog, key: keys[i % 7])))
                if i % 10 == 5 {
                    try t.setElements(
                        dog, key, 2, (0..<5).map { .link(ObjectLink(table: dog, key: keys[$0])) })
                    try t.set(
                        dog, key, 4,
                        try t.makeList([
                            .int(1), text("two"), .link(ObjectLink(table: dog, key: keys[0])),
                        ]))
                }
            }
            try t.commit()
        }
        t = try session.begin()
        for i in stride(from: 0, to: keys.count, by: 3) { try t.remove(dog, keys[i]) }
        try t.commit()
        let database = try Database(immutable: path)
        let snapshot = database.snapshot()
        let table = snapshot.table(database.schema.table(named: "Dog")!)
        #expect(try table.count() == 2000 - 667)
        let dump = try ReferenceDump(database).lines
        #expect(dump.count > 1000)
    }
}
