import RealmEngine
import ToolKit

/// JSON Schema (draft 2020-12) of the records that `realm-query -f ndjson` prints.
enum JSONSchemaForm: SchemaForm {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        let (tables, schema) = (subject.tables, subject.schema)
        let shown = reachable(tables, schema)
        out.append("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"")
        if tables.count == 1 {
            out.append(",\"$ref\":")
            out.append(json: reference(tables[0]))
        } else {
            out.append(",\"anyOf\":[")
            let records = tables.filter { $0.kind != .embedded }
            for (position, table) in records.enumerated() {
                if position > 0 { out.append(",") }
                out.append("{\"$ref\":")
                out.append(json: reference(table))
                out.append("}")
            }
            out.append("]")
        }
        out.append(",\"$defs\":{")
        for (position, table) in shown.enumerated() {
            out.append(position > 0 ? ",\n" : "\n")
            out.append(json: table.className)
            out.append(":")
            append(table, schema, to: &out)
        }
        out.append("}}\n")
    }

    /// The classes and all embedded ones that are part of their records.
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

    private static func append(_ table: TableInfo, _ schema: Schema, to out: inout ByteBuffer) {
        out.append("{\"type\":\"object\",\"properties\":{")
        for (position, column) in table.columns.enumerated() {
            if position > 0 { out.append(",") }
            out.append(json: column.name)
            out.append(":")
            out.append(property(column, schema))
        }
        out.append("},\"required\":[")
        for (position, column) in table.columns.enumerated() {
            if position > 0 { out.append(",") }
            out.append(json: column.name)
        }
        out.append("]}")
    }

    private static func property(_ column: ColumnInfo, _ schema: Schema) -> String {
        let value = value(column, schema)
        return switch column.collection {
        case nil: value
        case .list?: "{\"type\":\"array\",\"items\":\(value)}"
        case .set?: "{\"type\":\"array\",\"items\":\(value),\"uniqueItems\":true}"
        case .dictionary?: "{\"type\":\"object\",\"additionalProperties\":\(value)}"
        }
    }

    private static func value(_ column: ColumnInfo, _ schema: Schema) -> String {
        if column.type == .link {
            guard let target = schema.table(column.target) else { return "{}" }
            let text = target.kind == .embedded ? referenceText(target) : key(target)
            return column.mayLinkNowhere ? "{\"anyOf\":[\(text),{\"type\":\"null\"}]}" : text
        }
        guard let facts = facts[column.type] else { return "{}" }
        return text(facts, mayBeNull: column.isNullable)
    }

    /// A link is the primary key of its target, or the object key.
    private static func key(_ target: TableInfo) -> String {
        guard let index = target.primaryKey, let facts = facts[target.columns[index].type] else {
            return "{\"type\":\"integer\"}"
        }
        // A target whose primary key is null is shown as an object.
        return target.columns[index].isNullable ? "{}" : text(facts, mayBeNull: false)
    }

    private static func text(_ facts: (type: String, rest: String), mayBeNull: Bool) -> String {
        let types =
            facts.type.split(separator: ",").map { "\"\($0)\"" } + (mayBeNull ? ["\"null\""] : [])
        let type = types.count == 1 ? types[0] : "[\(types.joined(separator: ","))]"
        return "{\"type\":\(type)\(facts.rest)}"
    }

    /// JSON types, and further members, by stored type. Infinite numbers and NaN are strings.
    private static let facts: [ColumnType: (type: String, rest: String)] = [
        .int: ("integer", ""), .bool: ("boolean", ""), .string: ("string", ""),
        .binary: ("string", ",\"contentEncoding\":\"base64\""),
        .timestamp: ("string", ",\"format\":\"date-time\""),
        .float: ("number,string", ""), .double: ("number,string", ""),
        .decimal: ("string", ""),
        .objectID: ("string", ",\"pattern\":\"^[0-9a-f]{24}$\""),
        .uuid: ("string", ",\"format\":\"uuid\""),
    ]

    private static func reference(_ table: TableInfo) -> String {
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
        return "#/$defs/" + pointer
    }

    private static func referenceText(_ table: TableInfo) -> String {
        var out = ByteBuffer(capacity: 64)
        out.append("{\"$ref\":")
        out.append(json: reference(table))
        out.append("}")
        return String(decoding: out.bytes, as: UTF8.self)
    }
}
