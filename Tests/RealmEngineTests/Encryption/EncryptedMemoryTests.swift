import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Decrypted bytes of a database are only in memory that is meant for them.
@Suite struct EncryptedMemoryTests {
    private func image(_ name: String) throws -> EncryptedImage {
        let url = QueryCases.folder.appending(path: name + ".realm")
        return EncryptedImage(of: [UInt8](try Data(contentsOf: url)), try EncryptedImage.key())
    }

    /// Returns the content of the files in `folder` that this process has open, including files
    /// without a name.
    private func contents(openIn folder: String) throws -> [Data] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let link = "/proc/self/fd/" + name
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
                target.hasPrefix(folder)
            else { return nil }
            return FileManager.default.contents(atPath: link)
        }
    }

    @Test func spillFilesAreEncrypted() throws {
        let folder = try ScratchFolder()
        let text = Array("nobody reads this ".utf8)
        for (count, isConfidential) in [(1, true), (500, true), (40_000, true), (500, false)] {
            let file = try SpillFile(in: folder.path, isConfidential: isConfidential)
            for i in 0..<count {
                try text.withUnsafeBytes { try file.append($0.baseAddress!, $0.count) }
                try file.append(Int64(i))
            }
            let bytes = try file.mapped()
            #expect(bytes.count == count * 26 && bytes.isPlain == !isConfidential)
            let found = try contents(openIn: folder.path).filter { $0.count > 0 }
            #expect(found.count == 1)
            let shows = found.contains { $0.range(of: Data("reads".utf8)) != nil }
            #expect(shows == !isConfidential)
            let room = UnsafeMutableRawPointer.allocate(byteCount: 26, alignment: 16)
            defer { room.deallocate() }
            var random = SeededRandom(seed: UInt64(count))
            for _ in 0..<1000 {
                let i = Int.random(in: 0..<count, using: &random)
                let record = bytes.bytes(at: 26 * i, 26, room)
                #expect(memcmp(record, text, 18) == 0)
                #expect(record.loadUnaligned(fromByteOffset: 18, as: Int64.self) == Int64(i))
            }
        }
    }

    @Test(arguments: [1, 6000, 40_000])
    func spilledResultsEqualResultsInMemory(memory: Int) throws {
        let path = try image("bulk").saved()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let snapshot = try Database(immutable: path, key: try EncryptedImage.key()).snapshot()
        let table = snapshot.schema.table(named: "Node")!
        func keys(_ text: String, memory: Int) throws -> RowKeys {
            var options = QueryOptions()
            options.memoryLimit = memory
            return try QueryPlan(
                Query(text).bound(to: snapshot.table(table)), in: snapshot, options: options
            ).rows(in: snapshot).keys
        }
        for text in [
            "TRUEPREDICATE", "k > 2 SORT(s ASC, d DESC)", "TRUEPREDICATE SORT(up.s DESC, k ASC)",
            "TRUEPREDICATE DISTINCT(k)", "TRUEPREDICATE SORT(d DESC) DISTINCT(s, k) LIMIT(40)",
        ] {
            let whole = try keys(text, memory: .max)
            let spilled = try keys(text, memory: memory)
            #expect(spilled.elementsEqual(whole), "\(memory) bytes: \(text)")
            #expect(spilled.reversed().elementsEqual(whole.reversed()))
        }
    }
}
