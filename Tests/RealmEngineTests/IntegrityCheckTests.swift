import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The check has no findings in files of the reference, except consequences of its defects (object
/// format 13).
@Suite struct IntegrityCheckTests {
    static let readable: [URL] =
        Fixtures.files("objects", ".realm") + Fixtures.files("query", ".realm")
        + Fixtures.files("public", ".realm").filter {
            let name = $0.lastPathComponent
            // Builds of the reference with 4 elements per node store other keys in compact
            // clusters.
            if name.hasSuffix("-4.realm") || name == "format2-pre-null.realm" { return false }
            return name.hasPrefix("format1") || name.hasPrefix("format2")
        } + more

    /// More files of the reference, from the folder `REALM_TEST_FILES`.
    private static let more: [URL] = {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["REALM_TEST_FILES"] else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".realm") }.sorted()
            .map { URL(filePath: folder).appending(path: $0) }
    }()

    /// Findings that are expected in valid files, with their properties.
    static let exceptions: [IntegrityReport.Code: Set<String>] = [
        // Defect 7: an index on a list of strings has the same key twice. Defects 5 and 6: an index
        // on mixed values is not updated by every change.
        .indexStale: ["class_Idx.lidx", "class_Idx.i6"]
    ]

    private static func check(_ tree: FileTree) throws -> IntegrityReport {
        let file = ScratchDatabase()
        try Data(tree.encoded()).write(to: URL(filePath: file.path))
        return try IntegrityCheck.run(path: file.path)
    }

    /// Each word is the header of a node that extends far past it and references the next: without
    /// a limit, the time of the walk is quadratic in the file's size.
    @Test func overlappingNodesAreCheckedInBoundedTime() throws {
        var bytes = try FileTree("query/social").encoded()
        func word(_ at: Int) -> UInt64 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
        }
        func set(_ at: Int, _ word: UInt64) {
            withUnsafeBytes(of: word) { bytes.replaceSubrange(at..<at + 8, with: $0) }
        }
        let (root, start, size) = (Int(word(0)), bytes.count, 1 << 19)
        bytes += [UInt8](repeating: 0, count: size)
        for at in stride(from: start, to: start + size / 2, by: 8) {
            // 2^14 references of 32 bits.
            set(at, UInt64(at + 8) | 0x46 << 32 | 0x40 << 48)
        }
        set(root + 8 + 8 * 2, UInt64(bytes.count) << 1 | 1)
        set(root + 8 + 8 * 8, UInt64(start))
        let report = try bytes.withUnsafeBytes {
            try IntegrityCheck.run(try MappedFile(copying: $0, path: "overlap"))
        }
        #expect((report.counts[.nodeOverlap] ?? 0) > 0)
    }

    /// Nothing of an unfinished upgrade from an old format can look like these tables.
    @Test(arguments: 2...9 as ClosedRange<UInt8>) func aTooOldFormatInTheHeaderIsReported(
        _ format: UInt8
    ) throws {
        let tree = try FileTree("query/social")
        tree.format = format
        let report = try Self.check(tree)
        #expect(report.counts == [.tableDirectory: 1])
        #expect(
            report.findings.allSatisfy {
                $0.what.contains("tables of a later format than the header names")
            })
    }

    /// One bit of the header turns a database into an empty one, like a first commit that crashed.
    @Test(arguments: [false, true]) func anEmptySelectedSlotIsReported(_ isStreaming: Bool) throws {
        let tree = try FileTree("query/social")
        tree.isStreaming = isStreaming
        var bytes = tree.encoded()
        bytes[23] ^= 1
        let file = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: file.path))
        let counts = try IntegrityCheck.run(path: file.path).counts
        #expect(counts == [isStreaming ? .header : .staleSlot: 1])
    }

    @Test func aUsedSecondSlotOfAStreamIsReported() throws {
        let tree = try FileTree("query/social")
        tree.isStreaming = true
        var bytes = tree.encoded()
        let file = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: file.path))
        #expect(try IntegrityCheck.run(path: file.path).counts[.staleSlot] == nil)
        bytes[8] = 0x40
        try Data(bytes).write(to: URL(filePath: file.path))
        let report = try IntegrityCheck.run(path: file.path)
        #expect(report.counts[.staleSlot] == 1 && report.errorCount == 0)
    }

    @Test(arguments: readable) func soundFilesAreClean(_ file: URL) throws {
        let report = try IntegrityCheck.run(path: file.path)
        let rest = report.findings.filter { finding in
            let location = "\(finding.location.table ?? "").\(finding.location.column ?? "")"
            // The fixtures' generator makes text of arbitrary bytes.
            if finding.code == .stringUTF8 { return false }
            return Self.exceptions[finding.code]?.contains(location) != true
        }
        #expect(rest.isEmpty, "\(file.lastPathComponent): \(describe(rest, report))")
    }

    @Test(arguments: readable) func soundFilesAreCleanInAQuickCheck(_ file: URL) throws {
        let report = try IntegrityCheck.run(path: file.path, level: .quick)
        #expect(report.isClean, "\(file.lastPathComponent): \(describe(report.findings, report))")
    }

    @Test(arguments: [IntegrityCheck.Level.quick, .full])
    func factsCountNodesTablesAndObjects(_ level: IntegrityCheck.Level) throws {
        let file = Fixtures.own.appending(path: "query/social.realm")
        let report = IntegrityCheck(try Database(immutable: file.path), level: level).run()
        let facts = report.facts
        #expect(facts.format == 24 && facts.version == 2)
        #expect(facts.liveBytes + facts.freeBytes + 24 == facts.logicalSize)
        #expect(facts.gapBytes == 0 && facts.nodes > 200 && facts.historyEntries == 1)
        let names = ["metadata", "class_Address", "class_Company", "class_Person", "class_Pet"]
        #expect(facts.tables.map(\.name) == names)
        #expect(facts.tables.map(\.objects) == [1, 13, 4, 8, 8])
        #expect(facts.tables.map(\.indexes) == [0, 0, 1, 1, 1])
        #expect(facts.tables.reduce(0) { $0 + $1.nodes } < facts.nodes)
        #expect(facts.tables[3].bytes > facts.tables[0].bytes)
        if level == .full { #expect(facts.tables[3].links > 20) }
    }

    @Test func omittedFindingsAreCounted() throws {
        let damage = Damage(.backlinkExtra, "query/bulk") { tree in
            for leaf in tree.table("class_Node")[2].children {
                let links = leaf[1 + tree.key("class_Node", "up").leafIndex]
                links.integers = links.integers.map { _ in 0 }
            }
        }
        let report = try damage.report()
        #expect(report.findings.count == IntegrityCheck.maximumFindingsPerCode)
        #expect(report.counts == [.backlinkExtra: report.errorCount])
        #expect(report.errorCount > 500 && report.warningCount == 0 && !report.isClean)
    }

    @Test func findingsNameTableColumnAndObject() throws {
        let damage = Damage(.nullInRequired, "query/types") { tree in
            tree.leaf("class_Row", "b").integers[5] = 3
        }
        let finding = try #require(try damage.report().findings.first)
        #expect(finding.location.table == "class_Row" && finding.location.column == "b")
        #expect(finding.location.object == ObjectKey(5) && finding.severity == .error)
    }

    @Test func readsADatabaseWithoutARoot() throws {
        var bytes = [UInt8](repeating: 0, count: 4096)
        bytes.replaceSubrange(16..<24, with: [0x54, 0x2D, 0x44, 0x42, 0, 0, 0, 0])
        let report = try bytes.withUnsafeBytes {
            try IntegrityCheck.run(try MappedFile(copying: $0, path: "new"))
        }
        #expect(report.isClean && report.facts.version == 1 && report.facts.logicalSize == 24)
    }

    @Test func readsAFileWrittenInOnePass() throws {
        let tree = try FileTree("query/social")
        tree.isStreaming = true
        let report = try tree.encoded().withUnsafeBytes {
            try IntegrityCheck.run(try MappedFile(copying: $0, path: "streamed"))
        }
        #expect(report.isClean, "\(describe(report.findings, report))")
        #expect(report.facts.freeChunks == 0)
    }

    @Test func aFileThatIsNoDatabaseIsAnError() {
        #expect(throws: RealmError.self) { try IntegrityCheck.run(path: #filePath) }
        #expect(throws: RealmError.self) { try IntegrityCheck.run(path: "/no/such/file.realm") }
    }
}
