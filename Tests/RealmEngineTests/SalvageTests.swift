import Foundation
import Testing

@testable import RealmEngine

/// What is rescued from sound and damaged files.
@Suite struct SalvageTests {
    private final class Result {
        let scratch = CompactorTests.Scratch()
        var losses: [SalvageLoss] = []
        var summary = SalvageSummary()

        init(_ path: String) throws {
            summary = try Salvage.run(path: path, into: scratch.path) { self.losses.append($0) }
        }
    }

    /// The damaged bytes as a file, salvaged.
    private func salvage(_ bytes: [UInt8]) throws -> Result {
        let file = CompactorTests.Scratch()
        try Data(bytes).write(to: URL(filePath: file.path))
        return try Result(file.path)
    }

    @Test(arguments: Fixtures.files("query", ".realm")) func soundFilesLoseNothing(
        _ file: URL
    ) throws {
        let result = try Result(file.path)
        #expect(!result.summary.hasLosses, "\(result.losses)")
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

    @Test func aLostColumnLeafCostsOneProperty() throws {
        let tree = try FileTree("query/bulk")
        let table = tree.table("class_Node")
        let leaf = try #require(table[2].children.last)
        let slot = 1 + tree.key("class_Node", "k").leafIndex
        // A reference to nowhere.
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

    /// The result of any damage is sound, and holds no more than there was.
    @Test func damagedFilesGiveSoundOnes() throws {
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
