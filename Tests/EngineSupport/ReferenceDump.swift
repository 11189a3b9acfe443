import Testing

@testable import RealmEngine

/// Dumps a database in the line format of the reference's dumps, through the engine's read path.
struct ReferenceDump {
    private(set) var lines: [String] = []
    private let snapshot: Snapshot
    /// Whether sets and dictionaries are compared as sorted elements: the reference upgrades older
    /// formats before it dumps, which reorders them.
    private let sorts: Bool
    /// Whether search indexes are listed without their roots, for file formats before 10.
    private let isLegacy: Bool

    init(_ database: Database) throws {
        snapshot = database.snapshot()
        sorts = database.header.format < 24
        isLegacy = database.header.format < 10
        lines.append("format \(isLegacy ? database.header.format : 24)")
        snapshot.beginWalk()
        for info in database.schema.tables { try table(snapshot.table(info)) }
    }

    private mutating func table(_ table: Table) throws {
        let info = table.info
        // When the reference engine upgrades an older file, it deletes the objects of asymmetric
        // classes.
        let isCleared = sorts && info.kind == .asymmetric
        lines.append(
            "table \(info.name) key=\(info.key.raw) type=\(info.kind.rawValue) "
                + "n=\(isCleared ? 0 : try table.count()) tomb=\(try table.tombstoneCount())")
        for (i, column) in info.columns.enumerated() {
            let upgraded = isLegacy ? column.isIndexed : sorts && info.primaryKey == i
            lines.append(
                " col \(column.name) idx=\(column.key.leafIndex) type=\(column.type.rawValue) "
                    + "attrs=\(column.key.attributes.rawValue) tag=\(column.key.tag) "
                    + "index=\(upgraded ? 1 : column.index.rawValue) "
                    + "pk=\(info.primaryKey == i ? 1 : 0)")
        }
        if isCleared { return }
        let scan = table.scan(columns: Array(info.columns.indices))
        while try scan.next() {
            for row in 0..<scan.count { try object(scan, row) }
        }
    }

    private mutating func object(_ scan: TableScan, _ row: Int) throws {
        lines.append(" obj \(scan.key(row).raw)")
        for (i, column) in scan.table.info.columns.enumerated() {
            lines.append("  \(column.name) \(try text(scan.value(row: row, column: i), column))")
        }
        let object = scan.row(row)
        for backlink in scan.table.info.backlinks.sorted(by: { $0.leafIndex < $1.leafIndex }) {
            guard let origin = snapshot.schema.table(backlink.origin) else { continue }
            var cursor = try object.backlinks(backlink)
            var keys: [String] = []
            while let key = try cursor.next() { keys.append("\(key.raw)") }
            if !keys.isEmpty {
                lines.append(
                    "  < \(origin.name).\(backlink.originColumn.leafIndex) "
                        + keys.joined(separator: ","))
            }
        }
    }

    private func text(_ value: Value, _ column: ColumnInfo? = nil) throws -> String {
        switch value {
        case .null: return "null"
        case .int(let v): return "i:\(v)"
        case .bool(let v): return "b:\(v ? 1 : 0)"
        case .string(let v): return "s:" + hex(v.bytes)
        case .binary(let v): return "x:" + hex(v.bytes)
        case .timestamp(let v): return "t:\(v.seconds).\(v.nanoseconds)"
        case .float(let v): return "f:" + hex(UInt64(v.bitPattern), 8)
        case .double(let v): return "d:" + hex(v.bitPattern, 16)
        case .decimal(let v): return "D:" + hex(v.high, 16) + hex(v.low, 16)
        case .objectID(let v): return "o:" + hex(v.high, 16) + hex(UInt64(v.low), 8)
        case .uuid(let v): return "u:" + hex(v.high, 16) + hex(v.low, 16)
        case .link(let v):
            return column?.type == .link ? "l:\(v.key.raw)" : "L:\(v.table.raw).\(v.key.raw)"
        case .list(let v): return "[" + (try elements(v, column)).joined(separator: ",") + "]"
        case .set(let v):
            let all = try elements(v, column)
            return "<" + (sorts ? all.sorted() : all).joined(separator: ",") + ">"
        case .dictionary(let v): return try dictionary(v)
        }
    }

    private func elements(_ view: CollectionView, _ column: ColumnInfo?) throws -> [String] {
        var cursor = snapshot.elements(of: view, walking: true)
        var all: [String] = []
        while let value = try cursor.next() { all.append(try text(value, column)) }
        #expect(try snapshot.count(of: .list(view)) == all.count)
        return all
    }

    private func dictionary(_ view: CollectionView) throws -> String {
        var cursor = try snapshot.entries(of: view, walking: true)
        var all: [String] = []
        while let (key, value) = try cursor.next() {
            let name: String
            switch key {
            case .string(let bytes): name = hex(bytes.bytes)
            case .int(let number): name = "\(number)"
            default: name = "?"
            }
            all.append(name + "=" + (try text(value)))
        }
        #expect(try snapshot.count(of: .dictionary(view)) == all.count)
        return "{" + (sorts ? all.sorted() : all).joined(separator: ",") + "}"
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var out: [UInt8] = []
        for byte in bytes {
            out.append(digits[Int(byte >> 4)])
            out.append(digits[Int(byte & 15)])
        }
        return String(decoding: out, as: UTF8.self)
    }

    private func hex(_ number: UInt64, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}

/// Returns a line of the reference engine's dump with the elements of its set or dictionary sorted.
/// Needed for older file formats, whose order the reference engine changes before it dumps.
func sortingCollections(_ line: String) -> String {
    guard let open = line.lastIndex(where: { $0 == " " }) else { return line }
    let value = line[line.index(after: open)...]
    guard let first = value.first, first == "<" || first == "{", value.count > 2 else {
        return line
    }
    let inner = value.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
    return line[...open] + String(first) + inner.sorted().joined(separator: ",")
        + String(value.last!)
}
