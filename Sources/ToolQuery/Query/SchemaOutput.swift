import RealmEngine
import ToolKit

/// The schema as text for people, and as JSON with which it can be created again.
struct SchemaOutput: ReportDocument {
    let schema: Schema
    let tables: [TableInfo]
    /// Whether `tables` contains all classes of the file. The text then begins with the schema
    /// version.
    let isWhole: Bool
    /// File name at the beginning of the output; nil for none.
    var file: String?

    func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        var blocks: [String] = []
        if isWhole, let version = schema.version { blocks.append("schema version \(version)\n") }
        blocks += tables.map(text)
        if let file { blocks.insert("file \(DisplayWidth.printable(file))\n", at: 0) }
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
    /// The schema as one document, with one line for each property.
    var json: JSONItem {
        .object([
            ("schemaVersion", .known(schema.version)),
            ("classes", .lines(tables.map { json($0, JSONItem.lines) })),
        ])
    }

    /// The schema with one line for each class.
    var lines: [JSONItem] {
        let head: JSONItem.Members = file.map { [("file", .text($0))] } ?? []
        return tables.map { .object(head + json($0, JSONItem.list).members) }
    }

    private func json(_ table: TableInfo, _ list: ([JSONItem]) -> JSONItem) -> JSONItem {
        let properties = table.columns.indices.map { index in
            JSONItem.object(
                zip(Self.names, facts(of: index, in: table)).map { (name: $0, value: $1) })
        }
        return .object([
            ("name", .text(table.className)), ("kind", .text(table.kind.name)),
            ("primaryKey", .known(table.primaryKey.map { table.columns[$0].name })),
            ("properties", list(properties)),
        ])
    }

    private static let names = [
        "name", "type", "optional", "collection", "keyType", "target", "primaryKey", "indexed",
        "fulltext",
    ]

    private func facts(of index: Int, in table: TableInfo) -> [JSONItem] {
        let column = table.columns[index]
        let type = PropertyType(column, schema)
        let isKey = index == table.primaryKey
        return [
            .text(column.name), .text(type.name), .flag(column.isNullable),
            .known(column.collection?.rawValue), .known(type.keyType), .known(type.target),
            .flag(isKey), .flag(column.index == .general && !isKey),
            .flag(column.index == .fullText),
        ]
    }

    /// The schema with one record for each property.
    var rows: Report? {
        let rows = tables.flatMap { table in
            table.columns.indices.map { index in
                [JSONItem.text(table.className), .text(table.kind.name)]
                    + facts(of: index, in: table)
            }
        }
        return Report(names: ["class", "kind"] + Self.names, rows: rows, isNumber: [])
    }
}

/// Type of a property, as schema output describes it.
struct PropertyType {
    private let column: ColumnInfo
    /// Class that links refer to; nil for other types.
    let target: String?

    init(_ column: ColumnInfo, _ schema: Schema) {
        self.column = column
        target = column.type == .link ? schema.table(column.target)?.className ?? "?" : nil
    }

    /// Name of the type, such as `int` or `link`. Does not contain the kind of collection, nor the
    /// class to which links refer.
    var name: String { column.type.name }

    /// Type of the keys of a dictionary; nil for other properties.
    var keyType: String? {
        guard column.collection == .dictionary else { return nil }
        return column.hasIntegerKeys ? "int" : "string"
    }
}
