import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Pending changes of an index.
@Suite struct IndexChangesTests {
    /// Many random changes copy each node of an index about once, not once per spill.
    @Test func randomChangesAreWrittenInOrder() throws {
        let folder = try ScratchFolder()
        let path = folder.file("changes.realm")
        let session = try WriteSession(path: path, options: .scratch())
        var transaction = try session.begin()
        let table = try transaction.createClass("C")
        for name in ["a", "b"] {
            var spec = PropertySpec(name, .int)
            spec.isIndexed = true
            try transaction.addProperty(table, spec)
        }
        let count = 30_000
        let keys = try (0..<count).map { i in
            let key = try transaction.create(in: table)
            for column in 0..<2 {
                try transaction.set(table, key, column, .int(Int64(i * 7919 % count)))
            }
            return key
        }
        try transaction.commit()
        transaction = try session.begin()
        transaction.memoryLimit = 1 << 20
        let before = session.writeStatistics.bytes
        try transaction.visitObjects(keys) { (key) throws(RealmError) in
            for column in 0..<2 {
                try transaction.set(table, key, column, .int(key.raw &* 104_729 % 1_000_003))
            }
        }
        try transaction.commit()
        let written = session.writeStatistics.bytes - before
        #expect(written < 12 << 20, "\(written) bytes")
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// Values that are set, removed and set again before the index is read.
    @Test func changesOfOneObjectAreCombined() throws {
        let folder = try ScratchFolder()
        let path = folder.file("sum.realm")
        var options = WriteSession.Options.scratch()
        options.fanout = ModelShapes.small
        let session = try WriteSession(path: path, options: options)
        var transaction = try session.begin()
        let table = try transaction.createClass("C")
        var spec = PropertySpec("text", .string)
        spec.isIndexed = true
        try transaction.addProperty(table, spec)
        let arena = ByteArena()
        // After 200 equal bytes, different texts share a list that is sorted by value.
        func text(_ i: Int) -> Value {
            let bytes = [UInt8](repeating: 97, count: 210) + Array("\(i % 10)".utf8)
            return bytes.withUnsafeBytes {
                .string(arena.copy(ByteView($0.baseAddress!, count: $0.count)))
            }
        }
        var keys: [ObjectKey] = []
        for i in 0..<60 {
            keys.append(try transaction.create(in: table))
            try transaction.set(table, keys[i], 0, text(i))
        }
        try transaction.commit()
        transaction = try session.begin()
        for round in 1..<4 {
            for (i, key) in keys.enumerated() where i % 4 != 0 {
                try transaction.set(table, key, 0, text(i * round + round))
            }
            try transaction.spill()
        }
        for i in stride(from: 1, to: 60, by: 4) { try transaction.set(table, keys[i], 0, text(i)) }
        let removed = keys.indices.filter { $0 % 4 == 2 }.map { keys[$0] }
        try transaction.remove(table, removed)
        try transaction.commit()
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }
}
