import RealmEngine
import ToolKit

/// Output format: columns for Apache Spark's `schema(...)`. They describe the records that
/// `realm-query -f ndjson` prints, with one line for each class. A property with dates outside of
/// the years 1 to 9999 is a string, because Spark would read such dates as null.
enum SparkSchema: SchemaForm {
    static func append(
        _ subject: SchemaSubject, to out: inout ByteBuffer
    ) throws(RealmError) {
        for table in subject.tables {
            if subject.tables.count > 1 {
                out.append("-- \(DisplayWidth.printable(table.className))\n")
            }
            let columns = try members(of: table, subject.snapshot, within: [table.className], " ")
            out.append(columns.joined(separator: ", ") + "\n")
        }
    }

    /// Throws an error if two names differ only in case, which Spark ignores.
    private static func checkNames(_ table: TableInfo) throws(RealmError) {
        var taken: [String: String] = [:]
        for column in table.columns {
            let other = taken.updateValue(column.name, forKey: column.name.lowercased())
            guard let other else { continue }
            throw .misuse(
                "\(other) and \(column.name) of class \(table.className) would be the same column of "
                    + "Spark", code: "InvalidArgument", reason: "name-collision",
                hint: "`realm-write --rename` on a copy of the file gives one of them another name")
        }
    }

    /// Returns the name and type of each property.
    private static func members(
        of table: TableInfo, _ snapshot: Snapshot, within parents: Set<String>, _ separator: String
    ) throws(RealmError) -> [String] {
        try checkNames(table)
        return try table.columns.indices.map { (index) throws(RealmError) in
            let column = table.columns[index]
            let value = try value(index, of: table, snapshot, within: parents)
            let type =
                switch column.collection {
                case nil: value
                case .list?, .set?: "ARRAY<\(value)>"
                case .dictionary?: "MAP<STRING, \(value)>"
                }
            return quoted(column.name) + separator + type
        }
    }

    /// Returns the type of a value. A recursive embedded class, or a value of any type, is a string
    /// that contains JSON.
    private static func value(
        _ index: Int, of table: TableInfo, _ snapshot: Snapshot, within parents: Set<String>
    ) throws(RealmError) -> String {
        let column = table.columns[index]
        if column.type == .timestamp {
            return try DateSpan(of: index, table, snapshot).isWithinYears ? "TIMESTAMP" : "STRING"
        }
        guard column.type == .link else { return names[column.type] ?? "STRING" }
        guard let target = snapshot.schema.table(column.target) else { return "STRING" }
        if target.kind != .embedded {
            guard let key = target.primaryKey else { return "BIGINT" }
            return names[target.columns[key].type] ?? "STRING"
        }
        if parents.contains(target.className) || target.columns.isEmpty { return "STRING" }
        let inner = parents.union([target.className])
        return "STRUCT<"
            + (try members(of: target, snapshot, within: inner, ": ").joined(separator: ", ")) + ">"
    }

    private static let names: [ColumnType: String] = [
        .int: "BIGINT", .bool: "BOOLEAN", .binary: "BINARY",
        .float: "FLOAT", .double: "DOUBLE",
    ]

    private static func quoted(_ name: String) -> String {
        "`" + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``")
            + "`"
    }
}
