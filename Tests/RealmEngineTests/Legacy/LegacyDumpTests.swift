import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Every value, column property and link of files of formats 2 to 9, compared line by line with
/// dumps of the original engines.
@Suite struct LegacyDumpTests {
    static let cases =
        (Fixtures.files("legacy", ".realm")
        + Fixtures.files("public", ".realm").filter { file in
            ["format2-", "format3-", "format9-"].contains {
                file.lastPathComponent.hasPrefix($0)
            } && !file.lastPathComponent.contains("encrypted")
        }).filter { ReferenceDumpTests.hasDump($0) }

    @Test func casesCoverAllFormats() throws {
        #expect(Self.cases.count >= 25)
        let formats = try Set(Self.cases.map { try Database(immutable: $0.path).header.format })
        #expect(formats.isSuperset(of: [2, 3, 5, 6, 7, 8, 9]))
    }

    @Test(arguments: cases) func filesEqualTheirDumps(_ file: URL) throws {
        try compare(try Database(immutable: file.path), file)
    }

    /// Pages are decrypted when a part of a leaf is opened, not only for whole nodes.
    @Test(arguments: ["f7-sdk", "f9-core", "f9-enum-1010-keys", "f2-sdk", "interrupted-upgrade-6"])
    func encryptedFilesEqualTheirDumps(_ name: String) throws {
        let file = Fixtures.own.appending(path: "legacy/\(name).realm")
        let key = try EncryptedImage.key()
        let image = EncryptedImage(of: [UInt8](try Data(contentsOf: file)), key)
        let scratch = ScratchDatabase()
        try Data(image.bytes).write(to: URL(filePath: scratch.path))
        try compare(try Database(immutable: scratch.path, key: key), file)
        #expect(try IntegrityCheck.run(path: scratch.path, key: key).errorCount == 0)
    }

    private func compare(_ database: Database, _ file: URL) throws {
        let ours = try ReferenceDump(database).lines
        // The backlinks of one file are wrong and are not compared.
        let hasBacklinks = !file.path.contains("wrong-backlinks")
        let theirs = LegacyDump(
            try String(contentsOf: ReferenceDumpTests.dump(file), encoding: .utf8),
            hasBacklinks: hasBacklinks
        ).lines
        let kept = ours.filter { hasBacklinks || !$0.hasPrefix("  < ") }
        #expect(kept.count == theirs.count, "\(file.lastPathComponent)")
        for (line, (our, their)) in zip(kept, theirs).enumerated() where our != their {
            Issue.record(
                "\(file.lastPathComponent):\(line + 1)\n ours \(our)\n dump \(their)")
            return
        }
    }

    /// Backlinks are computed from links instead of read, so they are correct even if the file's
    /// are wrong.
    @Test func backlinksAreComputedFromLinks() throws {
        for file in Self.cases {
            let snapshot = try Database(immutable: file.path).snapshot()
            var links: [String: Int] = [:]
            for info in snapshot.schema.tables {
                let table = snapshot.table(info)
                for backlink in info.backlinks {
                    for key in try table.keys() {
                        let row = try #require(try table.row(key))
                        var cursor = try row.backlinks(backlink)
                        while let origin = try cursor.next() {
                            let column = backlink.originColumn.leafIndex
                            let link =
                                "\(backlink.origin.raw) \(column) \(origin.raw) \(info.key.raw) \(key.raw)"
                            links[link, default: 0] += 1
                        }
                    }
                }
            }
            #expect(links == (try Self.forwardLinks(snapshot)), "\(file.lastPathComponent)")
        }
    }

    private static func forwardLinks(_ snapshot: Snapshot) throws -> [String: Int] {
        var links: [String: Int] = [:]
        for info in snapshot.schema.tables {
            for (i, column) in info.columns.enumerated() where column.type == .link {
                let scan = snapshot.table(info).scan(columns: [i])
                while try scan.next() {
                    for row in 0..<scan.count {
                        for key in try targets(scan.value(row: row, column: 0), snapshot) {
                            let link =
                                "\(info.key.raw) \(column.leafIndex) \(scan.key(row).raw) "
                                + "\(column.target.raw) \(key.raw)"
                            links[link, default: 0] += 1
                        }
                    }
                }
            }
        }
        return links
    }

    private static func targets(_ value: Value, _ snapshot: Snapshot) throws -> [ObjectKey] {
        switch value {
        case .link(let link): return [link.key]
        case .list(let view):
            var keys: [ObjectKey] = []
            var cursor = snapshot.elements(of: view)
            while case .link(let link)? = try cursor.next() { keys.append(link.key) }
            return keys
        default: return []
        }
    }
}

/// The dump of an old file, without parts that have no equivalent in the current format.
private struct LegacyDump {
    private(set) var lines: [String] = []
    private let hasBacklinks: Bool
    /// Column names of the current table: the stored name and the current one; nil for hidden
    /// columns.
    private var names: [String?] = []
    private var isHidden = false
    /// Column index in the current object.
    private var column = 0

    init(_ dump: String, hasBacklinks: Bool) {
        self.hasBacklinks = hasBacklinks
        for line in dump.split(separator: "\n") { add(String(line)) }
    }

    private mutating func add(_ line: String) {
        if line.hasPrefix("format") { return lines.append(line) }
        if line.hasPrefix("table ") {
            isHidden = line.hasPrefix("table pk key")
            names = []
        }
        if isHidden { return }
        if line.hasPrefix(" col ") { return addColumn(line) }
        if line.hasPrefix(" obj ") { column = 0 }
        guard line.hasPrefix("  ") else { return lines.append(line) }
        if line.hasPrefix("  < ") { return addBacklinks(line) }
        defer { column += 1 }
        guard let name = names[column] else { return }
        let value = line[line.index(after: line.lastIndex(of: " ")!)...]
        lines.append("  \(name) \(value.hasPrefix("T{") ? "null" : value)")
    }

    private mutating func addColumn(_ line: String) {
        let facts = line.range(of: " idx=")!.lowerBound
        let stored = String(line[line.index(line.startIndex, offsetBy: 5)..<facts])
        var name: String? = stored.isEmpty ? "col_\(names.count)" : stored
        if names.contains(name) { name! += "_\(names.count)" }
        if line.contains(" type=5 ") || stored == "!OID" { name = nil }
        names.append(name)
        if let name { lines.append(" col \(name)\(line[facts...])") }
    }

    private mutating func addBacklinks(_ line: String) {
        guard hasBacklinks else { return }
        let space = line.lastIndex(of: " ")!
        let keys = line[line.index(after: space)...].split(separator: ",").map { Int($0)! }
        lines.append(line[...space] + keys.sorted().map(String.init).joined(separator: ","))
    }
}
