import RealmEngine
import RealmRecords
import ToolKit

/// Output format: JSON Schema (draft 2020-12) for the records that `realm-query -f ndjson` prints.
enum JSONSchemaForm: SchemaForm {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        let (tables, schema) = (subject.tables, subject.schema)
        let records = tables.filter { $0.kind != .embedded }
        let shown =
            tables.count == 1
            ? reference(tables[0]).members : [("anyOf", .list(records.map(reference)))]
        var head = ByteBuffer(capacity: 1024)
        JSONItem.object(
            [("$schema", .text("https://json-schema.org/draft/2020-12/schema"))] + shown
                + [("$defs", .object([]))]
        ).append(to: &head)
        // One class per line.
        out.append(UnsafeRawBufferPointer(rebasing: head.bytes.dropLast(2)))
        for (position, table) in reachable(tables, schema).enumerated() {
            out.append(position > 0 ? ",\n" : "\n")
            out.append(json: table.className)
            out.append(":")
            object(table, schema).append(to: &out)
        }
        out.append("}}\n")
    }

    /// Returns the classes and all embedded classes that their records contain.
    private static func reachable(_ tables: [TableInfo], _ schema: Schema) -> [TableInfo] {
        var found = tables
        var names = Set(tables.map(\.className))
        var next = 0
        while next < found.count {
            for column in found[next].columns {
                guard let target = schema.table(column.target), column.type == .link,
                    target.kind == .embedded, names.insert(target.className).inserted
                else { continue }
                found.append(target)
            }
            next += 1
        }
        return found
    }

    private static func object(_ table: TableInfo, _ schema: Schema) -> JSONItem {
        .object([
            ("type", .text("object")),
            (
                "properties",
                .object(table.columns.map { (name: $0.name, value: property($0, schema)) })
            ), ("required", .texts(table.columns.map(\.name))),
        ])
    }

    private static func property(_ column: ColumnInfo, _ schema: Schema) -> JSONItem {
        let value = value(column, schema)
        return switch column.collection {
        case nil: value
        case .list?: .object([("type", .text("array")), ("items", value)])
        case .set?:
            .object([("type", .text("array")), ("items", value), ("uniqueItems", .flag(true))])
        case .dictionary?: .object([("type", .text("object")), ("additionalProperties", value)])
        }
    }

    private static func value(_ column: ColumnInfo, _ schema: Schema) -> JSONItem {
        if column.type == .link {
            guard let target = schema.table(column.target) else { return .object([]) }
            let item = target.kind == .embedded ? reference(target) : key(target)
            if !column.mayLinkNowhere { return item }
            return .object([("anyOf", .list([item, .object([("type", .text("null"))])]))])
        }
        return scalar(column.type, mayBeNull: column.isNullable)
    }

    /// Returns the schema of a link: the primary key of its target, or the object key.
    private static func key(_ target: TableInfo) -> JSONItem {
        guard let index = target.primaryKey else { return scalar(.int, mayBeNull: false) }
        let column = target.columns[index]
        // A link to a target whose primary key is null is printed as an object.
        return column.isNullable ? .object([]) : scalar(column.type, mayBeNull: false)
    }

    /// Returns the JSON Schema of a scalar value. Floating-point values may also be strings,
    /// because NaN and infinities are printed as strings. A stored type without an entry in `facts`
    /// gets the schema `{}`, which permits any value.
    private static func scalar(_ type: ColumnType, mayBeNull: Bool) -> JSONItem {
        guard let (names, details) = facts[type] else { return .object([]) }
        let all = names + (mayBeNull ? ["null"] : [])
        let type = all.count == 1 ? JSONItem.text(all[0]) : .texts(all)
        return .object([("type", type)] + details.map { (name: $0, value: .text($1)) })
    }

    /// For each stored type, its JSON types and additional members.
    private static let facts: [ColumnType: (types: [String], details: [(String, String)])] = [
        .int: (["integer"], []), .bool: (["boolean"], []), .string: (["string"], []),
        .binary: (["string"], [("contentEncoding", "base64")]),
        .timestamp: (["string"], [("format", "date-time")]),
        .float: (["number", "string"], []), .double: (["number", "string"], []),
        .decimal: (["string"], []), .objectID: (["string"], [("pattern", "^[0-9a-f]{24}$")]),
        .uuid: (["string"], [("format", "uuid")]),
    ]

    private static func reference(_ table: TableInfo) -> JSONItem {
        var pointer = ""
        for byte in table.className.utf8 {
            switch byte {
            case UInt8(ascii: "~"): pointer += "~0"
            case UInt8(ascii: "/"): pointer += "~1"
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                pointer += String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                pointer += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return .object([("$ref", .text("#/$defs/" + pointer))])
    }
}
