import Testing

@testable import EngineSupport
@testable import RealmEngine

/// One fault in a valid file, and the findings it must cause.
struct Damage: Sendable, CustomTestStringConvertible {
    let code: IntegrityReport.Code
    let fixture: String
    /// Other findings that the same fault causes.
    var also: Set<IntegrityReport.Code> = []
    var name = ""
    let edit: @Sendable (FileTree) throws -> Void
    /// A change of the encoded bytes.
    var patch: (@Sendable (inout [UInt8]) -> Void)?

    var testDescription: String { "\(code.rawValue) \(name) in \(fixture)" }

    init(
        _ code: IntegrityReport.Code, _ fixture: String, _ name: String = "",
        also: Set<IntegrityReport.Code> = [],
        _ edit: @escaping @Sendable (FileTree) throws -> Void
    ) {
        self.code = code
        self.fixture = fixture
        self.name = name
        self.also = also
        self.edit = edit
    }

    /// Returns the same fault with a change of the encoded bytes.
    func patched(_ patch: @escaping @Sendable (inout [UInt8]) -> Void) -> Damage {
        var damage = self
        damage.patch = patch
        return damage
    }

    func report() throws -> IntegrityReport {
        let tree = try FileTree(fixture)
        try edit(tree)
        var bytes = tree.encoded()
        patch?(&bytes)
        return try bytes.withUnsafeBytes { buffer in
            try IntegrityCheck.run(try MappedFile(copying: buffer, path: "damaged"))
        }
    }
}

/// Each kind of finding is caused by one specific fault.
@Suite struct DamageTests {
    static let all: [Damage] =
        Damage.storage + Damage.schema + Damage.clusters + Damage.leaves + Damage.collections
        + Damage.links + Damage.indexes

    /// Decoding and encoding a file causes no findings.
    @Test(arguments: [
        "query/anyval", "query/bags", "query/bulk", "query/grammar", "query/orders", "query/social",
        "query/text", "query/types", "objects/all-types-2-compacted",
    ]) func soundFilesHaveNoFindings(_ fixture: String) throws {
        let report = try Damage(.header, fixture) { _ in }.report()
        let codes = Set(report.counts.keys).subtracting([.stringUTF8, .indexStale])
        #expect(codes.isEmpty, "\(describe(report.findings, report))")
    }

    @Test(arguments: all) func everyDamageIsFound(_ damage: Damage) throws {
        let report = try damage.report()
        #expect(report.counts[damage.code] ?? 0 > 0, "\(describe(report.findings, report))")
        var expected = damage.also.union([damage.code])
        if damage.fixture.hasPrefix("objects") { expected.formUnion([.stringUTF8, .indexStale]) }
        let rest = Set(report.counts.keys).subtracting(expected)
        #expect(rest.isEmpty, "\(describe(report.findings, report))")
    }

    /// One bit turns a table into a free slot; removing a table would also clear its name.
    @Test func aTableTurnedIntoAFreeSlotIsAnError() throws {
        let report = try Damage(.removedTableName, "query/grammar") { tree in
            tree.tables.setTag(1, 1744)
        }.report()
        #expect(report.errorCount == 1 && report.counts[.removedTableName] == 1)
    }

    @Test func everyFindingCodeIsTested() {
        // Blocks of encrypted files: `EncryptedReadingTests`. Trees of another fan-out:
        // `OldWriterTests`. Unfinished upgrades: `InterruptedUpgradeTests`.
        let missing = Set(IntegrityReport.Code.allCases).subtracting(Self.all.map(\.code))
            .subtracting([.block, .fanOut, .unfinishedUpgrade])
        #expect(missing.isEmpty, "\(missing.map(\.rawValue).sorted())")
    }
}
