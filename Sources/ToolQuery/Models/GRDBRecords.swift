import RealmEngine
import RealmRecords
import ToolKit

/// Output format: record types of GRDB, with associations for links and collections.
enum GRDBRecords: SQLRecords {
    static let header = "import Foundation\nimport GRDB\n"

    static func text(_ record: SQLRecord, _ records: [SQLRecord]) -> String {
        let table = record.table
        let name = quoted(record.name)
        var text = "struct \(name): Codable, FetchableRecord, PersistableRecord {\n"
        text += "    static let databaseTableName = \(SwiftNames.literal(table.name))\n\n"
        for (column, member) in zip(table.columns, record.members) {
            let note = column.kind == .json ? "  // JSON" : ""
            text += "    var \(quoted(member)): \(type(column))\(note)\n"
        }
        text += "\n    enum CodingKeys: String, CodingKey {\n"
        for (column, member) in zip(table.columns, record.members) {
            text += "        case \(quoted(member)) = \(SwiftNames.literal(column.name))\n"
        }
        text += "    }\n"
        let lines = associations(record, records)
        if !lines.isEmpty { text += "\n" + lines.map { "    \($0)\n" }.joined() }
        if table.columns.contains(where: { $0.kind == .uuid }) { text += uuidEncoding }
        return text + "}\n"
    }

    /// Makes GRDB write UUIDs as text, as the generated SQL statements do.
    private static let uuidEncoding = """

            static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
                .lowercaseString
            }

        """

    private static func type(_ column: SQLColumn) -> String {
        let name =
            switch column.kind {
            case .int: "Int64"
            case .bool: "Bool"
            case .float: "Float"
            case .double: "Double"
            case .bytes: "Data"
            case .uuid: "UUID"
            // As text, a date keeps its nanoseconds, and a decimal128 keeps its digits.
            case .decimal, .text, .objectID, .json, .date, .dateNanoseconds, .dateText: "String"
            }
        return name + (column.isRequired ? "" : "?")
    }

    /// Returns the GRDB associations of a record type as lines of Swift.
    ///
    /// A link results in `belongsTo`. A collection is stored in a table of its own and results in
    /// `hasMany` for the rows of that table. A collection of links also results in `hasMany` for
    /// the linked objects.
    private static func associations(_ record: SQLRecord, _ records: [SQLRecord]) -> [String] {
        func target(_ column: SQLColumn) -> SQLRecord? {
            records.first { $0.table.name == column.reference?.table }
        }
        var names = ModelNames(reserved: ["databaseTableName"])
        var lines: [String] = []
        for column in record.table.columns {
            guard let target = target(column) else { continue }
            let key = "ForeignKey([\(SwiftNames.literal(column.name))])"
            lines.append(
                "static let \(quoted(names.name(for: column.name))) = "
                    + "belongsTo(\(quoted(target.name)).self, using: \(key))")
        }
        guard record.table.collection == nil else { return lines }
        for other in records
        where other.table.collection != nil && other.table.className == record.table.className {
            let property = other.table.collectionName
            let rows = quoted(names.name(for: property + "Rows"))
            lines.append(
                "static let \(rows) = hasMany(\(quoted(other.name)).self, "
                    + "using: ForeignKey([\"owner\"]))")
            if let value = other.table.columns.last, let target = target(value) {
                lines.append(
                    "static let \(quoted(names.name(for: property))) = "
                        + "hasMany(\(quoted(target.name)).self, through: \(rows), "
                        + "using: \(quoted(other.name)).value)")
            }
        }
        return lines
    }

    private static func quoted(_ name: String) -> String { SwiftClasses.language.quoted(name) }

    static let reservedTypes = SwiftNames.types.union([
        "Codable", "CodingKey", "CodingKeys", "DatabaseUUIDEncodingStrategy", "FetchableRecord",
        "ForeignKey", "GRDB", "Int64", "PersistableRecord",
    ])
    static let reservedMembers: Set<String> = ["Protocol", "Type", "init", "self"]
}
