@testable import EngineSupport
@testable import RealmEngine

/// Content of a version as plain text by object and property, for checking comparisons of trees.
struct PlainContent {
    struct Object: Equatable {
        /// Values by property key.
        var values: [ColumnKey: String] = [:]
    }

    var tables: [TableKey: [Int64: Object]] = [:]
    private var infos: [TableKey: TableInfo] = [:]

    init(_ snapshot: Snapshot) throws {
        snapshot.beginWalk()
        for info in snapshot.schema.tables {
            infos[info.key] = info
            tables[info.key] = [:]
            let scan = snapshot.table(info).scan(columns: Array(info.columns.indices))
            while try scan.next() {
                for row in 0..<scan.count {
                    var object = Object()
                    for (i, column) in info.columns.enumerated() {
                        object.values[column.key] = try Self.text(
                            try scan.value(row: row, column: i), snapshot)
                    }
                    tables[info.key]![scan.key(row).raw] = object
                }
            }
        }
    }

    static func text(_ value: Value, _ snapshot: Snapshot) throws -> String {
        switch value {
        case .list(let view), .set(let view):
            var parts: [String] = []
            var elements = snapshot.elements(of: view)
            while let element = try elements.next() { parts.append(try text(element, snapshot)) }
            return "[" + parts.joined(separator: ",") + "]"
        case .dictionary(let view):
            var parts: [String] = []
            var entries = try snapshot.entries(of: view)
            while let (key, value) = try entries.next() {
                parts.append(try text(key, snapshot) + ":" + text(value, snapshot))
            }
            return "{" + parts.joined(separator: ",") + "}"
        case .string(let view): return "string " + view.bytes.description
        case .binary(let view): return "binary " + view.bytes.description
        case .float(let number): return "float \(number.bitPattern)"
        case .double(let number): return "double \(number.bitPattern)"
        case .decimal(let number): return "decimal \(number.high) \(number.low)"
        default: return "\(value)"
        }
    }

    /// Differences in the form of `ChangeSet.lines`, found by comparing everything.
    static func difference(
        _ old: (PlainContent, Snapshot), _ new: (PlainContent, Snapshot)
    ) throws -> [String] {
        var lines: [String] = []
        for key in Set(old.0.tables.keys).union(new.0.tables.keys) {
            let (before, after) = (old.0.tables[key], new.0.tables[key])
            if before == nil { lines.append("\(key.raw) new table") }
            if after == nil { lines.append("\(key.raw) table gone") }
            for object in Set(before.map { Array($0.keys) } ?? []).union(
                after?.keys.map { $0 } ?? [])
            {
                switch (before?[object], after?[object]) {
                case (nil, .some): lines.append("\(key.raw)/\(object) insert")
                case (.some, nil): lines.append("\(key.raw)/\(object) delete")
                case (let a?, let b?):
                    for column in new.0.infos[key]!.columns {
                        let then =
                            try a.values[counterpart(column, old.0.infos[key]!)]
                            ?? text(column.defaultValue, new.1)
                        if then != b.values[column.key] {
                            lines.append("\(key.raw)/\(object) \(column.name)")
                        }
                    }
                default: break
                }
            }
        }
        return lines.sorted()
    }

    private static func counterpart(_ column: ColumnInfo, _ table: TableInfo) -> ColumnKey {
        if table.columns.contains(where: { $0.key == column.key }) { return column.key }
        let alike = table.columns.first {
            $0.name == column.name && $0.type == column.type && $0.collection == column.collection
                && $0.target == column.target
        }
        return alike?.key ?? .none
    }
}

extension ChangeSet {
    /// The changes in the form of `PlainContent.difference`.
    var lines: [String] {
        var lines: [String] = []
        for table in tables {
            if table.old == nil { lines.append("\(table.table.raw) new table") }
            if table.new == nil { lines.append("\(table.table.raw) table gone") }
            lines += table.insertions.map { "\(table.table.raw)/\($0.raw) insert" }
            lines += table.deletions.map { "\(table.table.raw)/\($0.raw) delete" }
            for (i, key) in table.modifications.enumerated() {
                lines += table.changedColumns(i).map {
                    "\(table.table.raw)/\(key.raw) \(table.new!.columns[$0].name)"
                }
            }
        }
        return lines.sorted()
    }
}
