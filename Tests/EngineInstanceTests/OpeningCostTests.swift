import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Cost of opening and reading a large file.
@Suite struct OpeningCostTests {
    /// Makes a database of `count` objects with a number and 100 bytes each.
    private func make(_ path: String, _ count: Int) throws {
        let session = try WriteSession(path: path, options: .scratch())
        let transaction = try session.begin()
        let table = try transaction.createClass("Letter")
        try transaction.addProperty(table, PropertySpec("number", .int))
        try transaction.addProperty(table, PropertySpec("text", .binary))
        let arena = ByteArena()
        let text = PlainValue.view(Array(repeating: 0x61, count: 100), arena)
        for i in 0..<count {
            let key = try transaction.create(in: table)
            try transaction.set(table, key, 0, .int(Int64(i)))
            try transaction.set(table, key, 1, .binary(text))
        }
        try transaction.commit()
        withExtendedLifetime(arena) {}
    }

    private func size(_ path: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        return (facts[.size] as? NSNumber)?.intValue ?? 0
    }

    @Test("CD-19: opening reads as much of a large file as of a small one")
    func openingReadsNoMoreOfALargeFile() throws {
        let folder = try ScratchFolder()
        var nodes: [Int] = []
        var resident: [Int] = []
        for count in [200, 20_000] {
            let (made, path) = (folder.file("made-\(count)"), folder.file("\(count).realm"))
            try make(made, count)
            try FileManager.default.copyItem(atPath: made, toPath: path)
            let database = try Database(immutable: path)
            resident.append(try ResidentMemory.bytes(ofFile: path))
            nodes.append(try nodesOfOpening(database))
            let table = try #require(database.schema.table(named: "Letter"))
            #expect(try database.snapshot().table(table).count() == count)
        }
        let sizes = try [200, 20_000].map { try size(folder.file("\($0).realm")) }
        #expect(sizes[1] > 50 * sizes[0])
        #expect(nodes[0] == nodes[1])
        // The kernel maps some pages around each accessed one.
        #expect(resident[1] > 0 && resident[1] < sizes[1] / 2, "\(resident) bytes of \(sizes)")
    }

    /// Number of nodes opened for reading the root and the schema, which is the work of opening.
    private func nodesOfOpening(_ database: Database) throws -> Int {
        #if DEBUG
            let base = database.file.mapping.base
            let state = database.newest
            let memory = ReadContext(base: base, limit: state.limit)
            let top = try TopArray(
                memory.lookup, try #require(state.top).ref, fileSize: database.file.size)
            let reader = SchemaReader(
                space: memory.walk, names: top.names, tables: top.tables)
            #expect(try reader.schema().tables.count == state.schema.tables.count)
            let opened = memory.lookup.state.pointee.opened + memory.walk.state.pointee.opened
            #expect(opened > 0)
            return opened
        #else
            return 0
        #endif
    }

    @Test("CD-05: processes that read one file share its memory")
    func processesShareMemory() throws {
        let count = 48
        let folder = try ScratchFolder()
        let path = folder.file("shared.realm")
        let session = try WriteSession(path: path, options: .scratch())
        let transaction = try session.begin()
        let table = try transaction.createClass("Picture")
        try transaction.addProperty(table, PropertySpec("data", .binary))
        let arena = ByteArena()
        let data = PlainValue.view(Array(repeating: 0x62, count: 1 << 20), arena)
        for _ in 0..<count {
            let key = try transaction.create(in: table)
            try transaction.set(table, key, 0, .binary(data))
        }
        try transaction.commit()
        withExtendedLifetime(arena) {}
        let peers = (0..<3).map { _ in PeerProcess(["scan", path]) }
        for peer in peers {
            let line = try #require(peer.waitFor("read "), "\(peer.text)")
            let words = line.split(separator: " ")
            #expect(words.count == 5 && words[1] == "\(count << 20)", "\(line)")
            // Private memory of each process is much less than what it has read.
            let anonymous = try #require(Int(words[3]))
            #expect(anonymous < (count << 10) / 4, "\(line)")
            print("CD-05: a process \(line)")
        }
    }
}
