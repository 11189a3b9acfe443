import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Salvage of valid and damaged files.
@Suite struct SalvageTests {
    private final class Result {
        let scratch = ScratchDatabase()
        var losses: [SalvageLoss] = []
        var summary = SalvageSummary()

        init(_ path: String) throws {
            summary = try Salvage.run(
                path: path, into: scratch.path,
                spillingInto: FileManager.default.temporaryDirectory.path
            ) { self.losses.append($0) }
            // The summary is the sum of the reported losses.
            var told = SalvageSummary()
            for loss in losses { told.add(loss) }
            #expect(
                told.lostObjects == summary.lostObjects && told.lostValues == summary.lostValues
                    && told.lostParts == summary.lostParts)
            #expect(summary.hasLosses == !losses.isEmpty)
        }
    }

    /// Salvages the bytes as a file.
    private func salvage(_ bytes: [UInt8]) throws -> Result {
        let file = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: file.path))
        return try Result(file.path)
    }

    @Test(arguments: Fixtures.files("query", ".realm")) func soundFilesLoseNothing(
        _ file: URL
    ) throws {
        let result = try Result(file.path)
        #expect(result.summary.isComplete && result.losses.isEmpty, "\(result.losses)")
        let original = try Database(immutable: file.path)
        let copy = try Database(immutable: result.scratch.path)
        for info in original.schema.tables where info.kind == .topLevel {
            let other = try #require(copy.schema.tables.first { $0.name == info.name })
            #expect(
                try ContentDigest(original.snapshot()).digest(info)
                    == ContentDigest(copy.snapshot()).digest(other), "\(info.name)")
        }
        try expectSound(result.scratch.path)
    }

    @Test func aLostColumnLeafLosesOneProperty() throws {
        let tree = try FileTree("query/bulk")
        let table = tree.table("class_Node")
        let leaf = try #require(table[2].children.last)
        let slot = 1 + tree.key("class_Node", "k").leafIndex
        // A reference outside the file.
        leaf.slots[slot] = .raw(0x7FFF_FFF8)
        let result = try salvage(tree.encoded())
        #expect(result.summary.lostValues > 0 && result.summary.lostObjects == 0)
        let original = try Database(
            immutable: Fixtures.own.appending(path: "query/bulk.realm").path)
        let now = try Database(immutable: result.scratch.path)
        for info in original.schema.classes {
            let copy = try #require(now.schema.table(named: info.className))
            #expect(
                try original.snapshot().table(info).count() == now.snapshot().table(copy).count())
        }
        try expectSound(result.scratch.path)
    }

    @Test func aLostBranchIsCounted() throws {
        let tree = try FileTree("query/bulk")
        let root = tree.table("class_Node")[2]
        // The reference to a leaf after the first points outside the file.
        let lost = try #require(root.children.dropFirst().last)
        let path = Fixtures.own.appending(path: "query/bulk.realm").path
        let original = try Database(immutable: path)
        let info = try #require(original.schema.table(named: "Node"))
        let whole = try original.snapshot().table(info).count()
        let slot = try #require(
            root.slots.lastIndex { if case .child(let node) = $0 { node === lost } else { false } })
        root.slots[slot] = .raw(0x7FFF_FFF8)
        let result = try salvage(tree.encoded())
        let now = try Database(immutable: result.scratch.path)
        let copy = try #require(now.schema.table(named: "Node"))
        let left = try now.snapshot().table(copy).count()
        #expect(left < whole && result.summary.lostObjects == whole - left)
        #expect(!result.summary.isComplete && result.summary.sourceErrors > 0)
    }

    /// Damage that hides objects does not count as completeness.
    @Test func salvageIsIncompleteIfObjectsAreHidden() throws {
        let tree = try FileTree("query/bulk")
        let table = tree.table("class_Node")
        // Replaces the tree of objects by one of its leaves.
        let root = table[2]
        let leaf = try #require(root.children.dropFirst().first)
        table.slots[2] = .child(leaf)
        let result = try salvage(tree.encoded())
        #expect(!result.summary.isComplete && result.summary.sourceErrors > 0)
    }

    @Test func thePreviousVersionIsNamed() throws {
        let path = Fixtures.own.appending(path: "query/social.realm").path
        let scratch = ScratchDatabase()
        try FileManager.default.copyItem(atPath: path, toPath: scratch.path)
        let session = try WriteSession(path: scratch.path)
        let before = session.database.version
        let change = try session.begin()
        _ = try change.createClass("Extra")
        try change.commit()
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: scratch.path)))
        let root = Int(try Database(immutable: scratch.path).header.top.raw)
        // The newest root gets another form.
        bytes[root + 4] = 0x1F
        let result = try salvage(bytes)
        #expect(result.summary.version == before && !result.summary.isNewest)
        guard case .version(let used, _) = try #require(result.losses.first) else {
            Issue.record("\(result.losses)")
            return
        }
        #expect(used == before && result.summary.lostParts == 1 && !result.summary.isComplete)
    }

    /// One wrong byte does not make it an old file.
    @Test(arguments: [2, 5, 9] as [UInt8]) func filesWithADamagedFormatAreSalvaged(_ format: UInt8)
        throws
    {
        let tree = try FileTree("query/social")
        tree.format = format
        #expect(try salvage(tree.encoded()).summary.salvaged > 0)
    }

    /// A file without a root is empty, unless it has content.
    @Test(arguments: [false, true]) func emptyFilesAreComplete(_ isStream: Bool) throws {
        var bytes = [UInt8](repeating: 0, count: isStream ? 40 : 4096)
        bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
        if isStream {
            for i in 0..<8 { bytes[i] = 0xFF }
            let cookie = FileHeader.footerCookie
            for i in 0..<8 { bytes[32 + i] = UInt8(truncatingIfNeeded: cookie >> UInt64(8 * i)) }
        } else {
            (bytes[20], bytes[21]) = (24, 24)
        }
        let result = try salvage(bytes)
        #expect(result.summary.isComplete && result.losses.isEmpty)
        try expectSound(result.scratch.path)
        bytes.insert(contentsOf: [0, 0, 0, 1, 0, 0, 0, 0], at: 24)
        #expect(throws: RealmError.self) { try salvage(bytes) }
        // A streaming file that lost its end.
        if isStream { #expect(throws: RealmError.self) { try salvage(Array(bytes[..<24])) } }
    }

    /// Objects are salvaged even if the name of their class is lost.
    @Test func lostNamesAreReplaced() throws {
        let tree = try FileTree("query/social")
        let count = tree.top[0].count
        tree.top[0] = TreeNode(flags: 0x08, .bytes([], count: count))
        let result = try salvage(tree.encoded())
        let original = try Database(
            immutable: Fixtures.own.appending(path: "query/social.realm").path)
        #expect(result.summary.lostParts == original.schema.tables.count)
        #expect(result.summary.lostObjects == 0 && !result.summary.isComplete)
        let now = try Database(immutable: result.scratch.path)
        for info in original.schema.classes where info.kind == .topLevel {
            let copy = try #require(now.schema.table(named: "Table\(info.key.slot)"))
            #expect(
                try original.snapshot().table(info).count() == now.snapshot().table(copy).count())
        }
        try expectSound(result.scratch.path)
    }

    /// As text, the damaged name exceeds the maximum of the format.
    @Test(arguments: ["", "class_"]) func namesTooLongAreReplaced(_ beginning: String) throws {
        let tree = try FileTree("query/social")
        let count = tree.top[0].count
        Self.damage(tree.top[0], beginning)
        Self.damage(tree.top[1][1][0][1], "")
        let result = try salvage(tree.encoded())
        let original = try Database(
            immutable: Fixtures.own.appending(path: "query/social.realm").path)
        #expect(result.summary.lostParts == count + original.schema.tables[1].columns.count)
        #expect(result.summary.lostObjects == 0 && result.summary.lostValues == 0)
        let now = try Database(immutable: result.scratch.path)
        #expect(now.schema.classes.count == count)
        try expectSound(result.scratch.path)
    }

    /// Replaces each name of a list by bytes that are not valid text.
    private static func damage(_ names: TreeNode, _ beginning: String) {
        names.flags = 0x08 | 7
        var bytes: [UInt8] = []
        for i in 0..<names.count {
            let start = Array("\(beginning)\(i)".utf8)
            bytes += start + [UInt8](repeating: 0xFF, count: 63 - start.count) + [0]
        }
        names.content = .bytes(bytes, count: names.count)
    }

    /// Salvaging any damaged file gives a valid file, with no more objects than there were.
    @Test func salvagedFilesAreValid() throws {
        try #require(!DetectionTests.sources.isEmpty)
        var rescued = 0
        for index in 0..<60 * DetectionTests.scale {
            let source = DetectionTests.sources[index % DetectionTests.sources.count]
            var random = SeededRandom(seed: DetectionTests.seed &+ 100_000 &+ UInt64(index))
            var fault = StructuralFault(source.seed, &random)
            fault.apply()
            guard let result = try? salvage(fault.bytes) else { continue }
            rescued += result.summary.salvaged
            let report = try IntegrityCheck.run(path: result.scratch.path)
            #expect(
                report.errorCount == 0,
                "case \(index) \(source.seed.name) \(fault.story) \(describe(report.findings, report))"
            )
        }
        #expect(rescued > 0)
    }
}
