import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Verification of a compacted file detects every change of a significant bit, in memory and in the
/// file.
@Suite struct CopyVerificationTests {
    /// A database and a copy of its tables to damage.
    private final class Lab {
        let database: Database
        let snapshot: Snapshot
        let tables: Ref
        let scratch = ScratchDatabase()
        private let descriptor: Int32

        init(_ file: String) throws {
            database = try Database(immutable: Fixtures.own.appending(path: file).path)
            snapshot = database.snapshot()
            tables = try #require(snapshot.state.top).tables
            descriptor = open(scratch.path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        }

        deinit { close(descriptor) }

        private func verification() throws -> CopyVerification {
            try CopyVerification(
                snapshot, descriptor, path: scratch.path, key: nil, maxMemory: 1 << 20)
        }

        /// Copies the tables; returns their root and the written bytes.
        private func copy(_ verification: CopyVerification) throws -> (root: Ref, bytes: [UInt8]) {
            ftruncate(descriptor, 0)
            let file = try SequentialFile(descriptor, path: scratch.path) { _ in }
            defer { file.close() }
            for _ in 0..<3 { try file.append(0) }
            let copier = NodeCopier(
                snapshot.lookup, snapshot.database.file.mapping, file, verification,
                maxMemory: 1 << 20)
            let root = try copier.copy(tables)
            try file.finish()
            return (root, [UInt8](try Data(contentsOf: URL(filePath: scratch.path))))
        }

        func copied() throws -> (root: Ref, bytes: [UInt8]) { try copy(try verification()) }

        /// Verifies `bytes` instead of the written ones, reading those before `cut` from the file.
        func verify(_ bytes: [UInt8], cut: Int) throws {
            let verification = try verification()
            _ = try copy(verification)
            verification.chunkEnds()
            _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress!, cut, 0) }
            var chunk = WriteBehind.Chunk(capacity: bytes.count - cut)
            defer { chunk.bytes.deallocate() }
            chunk.start = UInt64(cut)
            chunk.count = bytes.count - cut
            bytes.withUnsafeBytes {
                chunk.bytes.copyMemory(from: $0.baseAddress! + cut, byteCount: chunk.count)
            }
            try verification.follow([chunk])
        }

        /// Whether the tree at `root` of `bytes` equals the tables, compared node by node.
        func isSame(_ bytes: [UInt8], _ root: Ref) throws -> Bool {
            try bytes.withUnsafeBytes { buffer in
                let mapping = try Mapping(copying: buffer)
                let memory = ReadContext(base: mapping.base, limit: UInt64(buffer.count))
                return try withExtendedLifetime((mapping, memory)) {
                    try isSame(tables, root, memory.lookup, depth: 0)
                }
            }
        }

        private func isSame(_ x: Ref, _ y: Ref, _ space: NodeSpace, depth: Int) throws -> Bool {
            let a = try snapshot.lookup.node(x)
            guard depth < 40, let b = try? space.node(y), a.count == b.count,
                a.flags & 0xF8 == b.flags & 0xF8
            else { return false }
            if a.hasRefs {
                for i in 0..<a.count {
                    let (left, right) = (a.slot(i), b.slot(i))
                    if let child = left.child {
                        guard let other = right.child,
                            try isSame(child, other, space, depth: depth + 1)
                        else { return false }
                    } else if left.raw != right.raw {
                        return false
                    }
                }
                return true
            }
            if a.widthType == 0 {
                return (0..<a.count).allSatisfy { a.integer($0) == b.integer($0) }
            }
            let size = NodeView.payloadSize(flags: a.flags, count: a.count)
            return a.flags == b.flags
                && ByteView(a.payload, count: size) == ByteView(b.payload, count: size)
        }
    }

    /// A node of width 0 announces up to 2^24 slots in eight bytes; copying it must not take more.
    @Test func nodesOfWidthZeroAreCopiedUnchanged() throws {
        let count = Slab.maximumCount
        var words: [UInt64] = [0, 0, 0]
        words.append(NodeView.header(flags: NodeView.hasRefsFlag, count: count))
        words.append(NodeView.header(flags: NodeView.hasRefsFlag | 7, count: 1))
        words.append(24)
        try words.withUnsafeBytes { buffer in
            let mapping = try Mapping(copying: buffer)
            let memory = ReadContext(base: mapping.base, limit: UInt64(buffer.count))
            let scratch = ScratchDatabase()
            let descriptor = open(scratch.path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
            defer { close(descriptor) }
            let file = try SequentialFile(descriptor, path: scratch.path) { _ in }
            defer { file.close() }
            for _ in 0..<3 { try file.append(0) }
            let copier = NodeCopier(memory.lookup, mapping, file, nil, maxMemory: 1 << 20)
            let root = try copier.copy(Ref(32))
            try file.finish()
            #expect(copier.slots.byteSize < 1 << 20)
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: scratch.path)))
            #expect(bytes.count == 48 && root == Ref(32))
            let header = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            }
            #expect(header == NodeView.header(flags: NodeView.hasRefsFlag, count: count))
            withExtendedLifetime((mapping, memory)) {}
        }
    }

    @Test(arguments: ["query/social.realm", "query/types.realm", "query/bags.realm"])
    func everyRelevantBitFlipIsDetected(_ file: String) throws {
        let lab = try Lab(file)
        let (root, bytes) = try lab.copied()
        #expect(try lab.isSame(bytes, root))
        var random = SeededRandom.fresh("verification of \(file)")
        // Offsets of nodes, so that no node is split between file and memory.
        let starts = bytes.indices.filter {
            $0 % 8 == 0 && $0 >= 24 && bytes[$0...].starts(with: [65, 65, 65, 65])
        }
        try lab.verify(bytes, cut: 0)
        for cut in [starts[starts.count / 3], Int(root.raw)] {
            try lab.verify(bytes, cut: cut)
        }
        var found = 0
        for round in 0..<150 {
            var damaged = bytes
            let place = Int.random(in: 24..<bytes.count, using: &random)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let cut = round % 2 == 0 ? 0 : starts.randomElement(using: &random)!
            do {
                try lab.verify(damaged, cut: cut)
                #expect(try lab.isSame(damaged, root), "byte \(place), cut at \(cut)")
            } catch is RealmError { found += 1 }
        }
        #expect(found > 50)
    }

    /// Bytes that are no longer in the chunks in memory are read from the file.
    @Test func largeNodesAreReadFromTheFile() throws {
        let scratch = ScratchDatabase()
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: scratch.path, options: options)
        let transaction = try session.begin()
        let table = try transaction.createClass("Picture")
        try transaction.addProperty(table, PropertySpec("data", .binary))
        for i in 0..<24 {
            let key = try transaction.create(in: table)
            let bytes = [UInt8](repeating: UInt8(i), count: 700_000)
            try bytes.withUnsafeBytes { buffer in
                let view = ByteView(buffer.baseAddress!, count: buffer.count)
                try transaction.set(table, key, 0, .binary(view))
            }
        }
        try transaction.commit()
        let copy = ScratchDatabase()
        let result = try copy.compact(session.database)
        #expect(result.isVerified)
        #expect(result.bytes > 16_000_000)
        let compacted = try Database(immutable: copy.path)
        #expect(
            try ScratchDatabase.digests(compacted) == ScratchDatabase.digests(session.database))
    }
}
