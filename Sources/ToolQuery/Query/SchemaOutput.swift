import RealmEngine
import ToolKit

/// The schema as text for people, and as JSON that holds all it takes to make it again.
struct SchemaOutput {
    private let schema: Schema
    private let tables: [TableInfo]

    init(_ schema: Schema, _ tables: [TableInfo]) {
        self.schema = schema
        self.tables = tables
    }

    /// - Parameter isWhole: not of one class alone: the schema version comes first.
    func appendText(isWhole: Bool, to out: inout ByteBuffer) {
        var blocks: [String] = []
        if isWhole, let version = schema.version { blocks.append("schema version \(version)\n") }
        blocks += tables.map(text)
        out.append(blocks.joined(separator: "\n"))
    }

    private func text(_ table: TableInfo) -> String {
        let kind = table.kind == .topLevel ? "" : " (\(table.kind.name))"
        var text = "class \(DisplayWidth.printable(table.className))\(kind)\n"
        let names = table.columns.map { DisplayWidth.printable($0.name) }
        let types = table.columns.map {
            DisplayWidth.printable(PropertyDescription($0, schema).typeText)
        }
        let nameWidth = names.map(DisplayWidth.columns).max() ?? 0
        let typeWidth =
            zip(table.columns, types).filter { $0.0.collection == nil }
            .map { DisplayWidth.columns($0.1) }.max() ?? 0
        for (index, column) in table.columns.enumerated() {
            let isKey = table.primaryKey == index
            text += isKey ? "  *" : "   "
            text += Self.padded(names[index], nameWidth) + "  "
            switch column.index {
            case .general where !isKey: text += Self.padded(types[index], typeWidth) + "  [index]\n"
            case .fullText: text += Self.padded(types[index], typeWidth) + "  [fulltext]\n"
            default: text += types[index] + "\n"
            }
        }
        return text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - DisplayWidth.columns(text)))
    }
}

// MARK: - JSON

extension SchemaOutput {
    /// One document, a property per line.
    func appendJSON(to out: inout ByteBuffer) {
        out.append("{\"schemaVersion\":")
        appendVersion(to: &out)
        out.append(",\"classes\":[")
        for (position, table) in tables.enumerated() {
            out.append(position == 0 ? "\n" : ",\n")
            append(table, between: "\n", to: &out)
        }
        out.append("]}\n")
    }

    /// A class per line.
    func appendLines(_ terminator: UInt8, to out: inout ByteBuffer) {
        for table in tables {
            append(table, between: "", to: &out)
            out.append(terminator)
        }
    }

    private func appendVersion(to out: inout ByteBuffer) {
        if let version = schema.version { out.append(number: version) } else { out.append("null") }
    }

    private func append(
        _ table: TableInfo, between separator: StaticString, to out: inout ByteBuffer
    ) {
        out.append("{\"name\":")
        out.append(json: table.className)
        out.append(",\"kind\":")
        out.append(json: table.kind.name)
        out.append(",\"primaryKey\":")
        out.append(jsonOrNull: table.primaryKey.map { table.columns[$0].name })
        out.append(",\"properties\":[")
        for (index, column) in table.columns.enumerated() {
            if index > 0 { out.append(",") }
            out.append(separator)
            append(column, isPrimaryKey: index == table.primaryKey, to: &out)
        }
        out.append("]}")
    }

    private func append(
        _ column: ColumnInfo, isPrimaryKey: Bool, to out: inout ByteBuffer
    ) {
        let type = PropertyType(column, schema)
        out.append("{\"name\":")
        out.append(json: column.name)
        out.append(",\"type\":")
        out.append(json: type.name)
        out.append(",\"optional\":")
        out.append(column.isNullable)
        out.append(",\"collection\":")
        out.append(jsonOrNull: column.collection?.rawValue)
        out.append(",\"keyType\":")
        out.append(jsonOrNull: type.keyType)
        out.append(",\"target\":")
        out.append(jsonOrNull: type.target)
        out.append(",\"primaryKey\":")
        out.append(isPrimaryKey)
        out.append(",\"indexed\":")
        out.append(column.index == .general && !isPrimaryKey)
        out.append(",\"fulltext\":")
        out.append(column.index == .fullText)
        out.append("}")
    }

    /// A property per record.
    var report: Report {
        var report = Report(
            names: [
                "class", "kind", "name", "type", "optional", "collection", "keyType", "target",
                "primaryKey", "indexed", "fulltext",
            ], isNumber: [])
        for table in tables {
            for (index, column) in table.columns.enumerated() {
                let type = PropertyType(column, schema)
                let isKey = index == table.primaryKey
                report.rows.append([
                    .text(table.className), .text(table.kind.name), .text(column.name),
                    .text(type.name), .bool(column.isNullable),
                    column.collection.map { .text($0.rawValue) } ?? .null,
                    type.keyType.map { .text($0) } ?? .null,
                    type.target.map { .text($0) } ?? .null, .bool(isKey),
                    .bool(column.index == .general && !isKey), .bool(column.index == .fullText),
                ])
            }
        }
        return report
    }
}

/// The type of a property in words.
struct PropertyType {
    private let column: ColumnInfo
    /// Class that links lead to.
    let target: String?

    init(_ column: ColumnInfo, _ schema: Schema) {
        self.column = column
        target = column.type == .link ? schema.table(column.target)?.className ?? "?" : nil
    }

    /// Without collection and target.
    var name: String { column.type.name }

    /// Of a dictionary's keys.
    var keyType: String? {
        guard column.collection == .dictionary else { return nil }
        return column.hasIntegerKeys ? "int" : "string"
    }
}

extension ByteBuffer {
    fileprivate mutating func append(jsonOrNull text: String?) {
        if let text { append(json: text) } else { append("null") }
    }
}
