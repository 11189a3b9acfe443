import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Valid files of old engines and test builds, which the reference engine reads without complaint.
@Suite struct OldWriterTests {
    private static func write(_ tree: FileTree, to file: ScratchDatabase) throws {
        try Data(tree.encoded()).write(to: URL(filePath: file.path))
    }

    private static func digests(_ tree: FileTree) throws -> [UInt64] {
        let file = ScratchDatabase()
        try write(tree, to: file)
        return try ScratchDatabase.digests(Database(immutable: file.path))
    }

    /// Checks that there are no findings, that the content is as expected, and that a copy and a
    /// salvage preserve it.
    private func expectSound(_ tree: FileTree, as digests: [UInt64]) throws {
        let (file, copy, rescued) = (ScratchDatabase(), ScratchDatabase(), ScratchDatabase())
        try Self.write(tree, to: file)
        for level in [IntegrityCheck.Level.quick, .full] {
            let report = try IntegrityCheck.run(path: file.path, level: level)
            #expect(report.isClean, "\(describe(report.findings, report))")
        }
        let database = try Database(immutable: file.path)
        #expect(try ScratchDatabase.digests(database) == digests)
        #expect(try copy.compact(database).isVerified)
        #expect(try IntegrityCheck.run(path: copy.path).isClean)
        let summary = try Salvage.run(
            path: file.path, into: rescued.path, spillingInto: NSTemporaryDirectory()
        ) { _ in }
        #expect(summary.isComplete)
        #expect(try Inspector(path: file.path).slots().allSatisfy { $0.problem == nil })
    }

    private static func shorten(_ tree: FileTree, to count: Int) {
        for table in tree.tables.children { table.slots.removeLast(table.slots.count - count) }
    }

    /// Tables created before format 20 have 12 slots, which upgrades do not change.
    @Test(arguments: [12, 13], [23, 24] as [UInt8]) func tablesMayHaveFewerSlots(
        _ count: Int, _ format: UInt8
    ) throws {
        let tree = try FileTree("query/bulk")
        tree.format = format
        let digests = try Self.digests(tree)
        Self.shorten(tree, to: count)
        try expectSound(tree, as: digests)
    }

    /// In formats 10 and 11, columns that are no links have 0 as opposite, which upgrades do not
    /// change.
    @Test func columnsWithoutLinksMayHaveAnOppositeOfZero() throws {
        let tree = try FileTree("query/orders")
        let digests = try Self.digests(tree)
        for table in tree.tables.children {
            let (targets, columns) = (table[7], table[8])
            for key in table[0][5].integers.map({ ColumnKey($0) }) {
                let type = ColumnType(number: key.typeNumber)
                if type == .link || type == .backlink { continue }
                targets.integers[key.leafIndex] = 0
                columns.integers[key.leafIndex] = 0
            }
        }
        try expectSound(tree, as: digests)
    }

    /// The version before a commit that did not change a table of 12 slots can be opened.
    @Test func thePreviousVersionMayHaveTablesOfFewerSlots() throws {
        let tree = try FileTree("query/bulk")
        Self.shorten(tree, to: 12)
        let file = ScratchDatabase()
        try Self.write(tree, to: file)
        let before = try ScratchDatabase.digests(Database(immutable: file.path))
        do {
            var options = WriteSession.Options()
            options.isDurable = false
            let session = try WriteSession(path: file.path, options: options)
            for name in ["First", "Second"] {
                let transaction = try session.begin()
                _ = try transaction.createClass(name)
                try transaction.commit()
            }
        }
        let report = try #require(try IntegrityCheck.runPrevious(path: file.path))
        #expect(report.errorCount == 0, "\(describe(report.findings, report))")
        let slots = try Inspector(path: file.path).slots()
        #expect(slots.allSatisfy { $0.problem == nil && $0.version != nil })
        let previous = try Database(immutable: file.path).at(.previous)
        let digests = try ScratchDatabase.digests(previous)
        #expect(Array(digests.prefix(before.count)) == before)
        #expect(previous.schema.table(named: "Second") == nil)
    }

    /// Engines of formats 2 to 9 restarted version numbers in each session, but kept the stamps.
    @Test func oldStampsMayBeBeyondTheVersion() throws {
        let url = Fixtures.own.appending(path: "legacy/f2-sdk.realm")
        let top = try #require(try Database(immutable: url.path).snapshot().state.top)
        try #require(top.version == 5)
        var bytes = [UInt8](try Data(contentsOf: url))
        // Slots of 32 bits; version 1 is stored as 3.
        bytes[Int(top.ref.raw) + 8 + 6 * 4] = 3
        let file = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: file.path))
        let report = try IntegrityCheck.run(path: file.path)
        #expect(report.facts.version == 1 && report.facts.freeChunks > 0)
        #expect(report.counts[.freeStamp] == nil && report.errorCount == 0)
        let rescued = ScratchDatabase()
        let summary = try Salvage.run(
            path: file.path, into: rescued.path, spillingInto: NSTemporaryDirectory()
        ) { _ in }
        #expect(summary.isComplete)
    }

    /// Nodes of engines before format 10 may begin with any bytes, even lost ones.
    @Test(arguments: [false, true]) func leakedNodesMayLackTheirSignature(
        _ isOld: Bool
    ) throws {
        let tree = try FileTree("query/orders")
        if isOld { tree.leaf("class_Order", "lines").signature = 0 }
        let end = Int64(tree.encoded().count)
        tree.freeLists = [TreeNode([end - 8]), TreeNode([8]), TreeNode([0])]
        var bytes = tree.encoded()
        let root = bytes[0..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        // An array of three bytes directly after the root.
        let gap = root + 8 + 8 * tree.top.count
        bytes.replaceSubrange(gap + 4..<gap + 8, with: [4, 0, 0, 3])
        let file = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: file.path))
        let counts = try IntegrityCheck.run(path: file.path).counts
        #expect(counts == (isOld ? [.signature: 1, .leakedSpace: 1] : [.nodeEnd: 1]))
    }
}

/// Trees of four elements per node, as test builds of the reference engine make them.
extension OldWriterTests {
    /// Makes twelve objects in three leaves, each linking to the object before it, without offsets.
    private func smallTrees() throws -> FileTree {
        let file = ScratchDatabase()
        do {
            var fanout = Fanout()
            (fanout.clusterLeaf, fanout.clusterInner) = (4, 4)
            let session = try WriteSession(path: file.path, options: .scratch(fanout))
            let transaction = try session.begin()
            let table = try transaction.createClass("Node")
            var link = PropertySpec("next", .link)
            link.target = table
            try transaction.addProperty(table, link)
            let keys = try (0..<12).map { _ in try transaction.create(in: table) }
            for i in 1..<12 {
                try transaction.set(
                    table, keys[i], 0, .link(ObjectLink(table: table, key: keys[i - 1])))
            }
            try transaction.commit()
        }
        let tree = try FileTree(contentsOf: URL(filePath: file.path))
        let root = tree.table("class_Node")[2]
        try #require(root.flags & 0x80 != 0 && root.slots.count == 6)
        root.slots[0] = .raw(0)
        for (i, leaf) in root.children.enumerated() { try #require(leaf.tagOrZero(0) == 4, "\(i)") }
        return tree
    }

    private func report(_ tree: FileTree) throws -> IntegrityReport {
        try tree.encoded().withUnsafeBytes {
            try IntegrityCheck.run(try MappedFile(copying: $0, path: "small"))
        }
    }

    @Test func treesOfAnotherFanOutAreNoDamage() throws {
        let report = try report(smallTrees())
        #expect(report.counts == [.fanOut: 1], "\(describe(report.findings, report))")
        #expect(report.errorCount == 0 && report.facts.tables.last?.links == 11)
    }

    /// Damage that is an error with either fan-out is still reported.
    @Test func damageInTreesOfAnotherFanOutIsFound() throws {
        let tree = try smallTrees()
        let last = tree.table("class_Node")[2].children[2]
        last[1].integers[3] = 1
        let report = try report(tree)
        #expect(report.errorCount > 0 && report.counts[.fanOut] == nil)
    }
}
