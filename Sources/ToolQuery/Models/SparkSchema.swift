import RealmEngine
import ToolKit

/// Columns of Apache Spark, as `schema(...)` of its readers takes them, for the records that
/// `realm-query -f ndjson` prints: a line for each class.
enum SparkSchema: SchemaForm {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        for table in subject.tables {
            if subject.tables.count > 1 {
                out.append("-- \(DisplayWidth.printable(table.className))\n")
            }
            let columns = table.columns.map { column in
                "\(quoted(column.name)) \(type(column, subject.schema, within: [table.className]))"
            }
            out.append(columns.joined(separator: ", ") + "\n")
        }
    }

    private static func type(
        _ column: ColumnInfo, _ schema: Schema, within parents: Set<String>
    ) -> String {
        let value = value(column, schema, within: parents)
        return switch column.collection {
        case nil: value
        case .list?, .set?: "ARRAY<\(value)>"
        case .dictionary?: "MAP<STRING, \(value)>"
        }
    }

    /// A class that is part of itself, and a value of any type, are the text of their JSON.
    private static func value(
        _ column: ColumnInfo, _ schema: Schema, within parents: Set<String>
    ) -> String {
        guard column.type == .link else { return names[column.type] ?? "STRING" }
        guard let target = schema.table(column.target) else { return "STRING" }
        if target.kind != .embedded {
            guard let key = target.primaryKey else { return "BIGINT" }
            return names[target.columns[key].type] ?? "STRING"
        }
        if parents.contains(target.className) || target.columns.isEmpty { return "STRING" }
        let inner = parents.union([target.className])
        let members = target.columns.map {
            "\(quoted($0.name)): \(type($0, schema, within: inner))"
        }
        return "STRUCT<\(members.joined(separator: ", "))>"
    }

    private static let names: [ColumnType: String] = [
        .int: "BIGINT", .bool: "BOOLEAN", .binary: "BINARY", .timestamp: "TIMESTAMP",
        .float: "FLOAT", .double: "DOUBLE",
    ]

    private static func quoted(_ name: String) -> String {
        "`" + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``")
            + "`"
    }
}
