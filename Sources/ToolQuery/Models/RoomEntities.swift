import RealmEngine
import RealmRecords
import ToolKit

/// Output format: entities for Android's Room, in Kotlin; one for each class and for each
/// collection.
enum RoomEntities: SQLRecords {
    static let header = "import androidx.room.*\n"

    static func text(_ record: SQLRecord, _ records: [SQLRecord]) -> String {
        let table = record.table
        // Room requires a primary key. An entity without one gets a primary key of all columns.
        let isKeyless = table.primaryKey.isEmpty
        let key = isKeyless ? table.columns.map(\.name) : table.primaryKey
        var arguments = [
            "tableName = \(literal(table.name))", "primaryKeys = [\(list(key))]",
        ]
        let indexes =
            table.indexes.map { "Index(\(literal($0)))" }
            + table.unique.map { "Index(\(literal($0)), unique = true)" }
        if !indexes.isEmpty { arguments.append("indices = [\(indexes.joined(separator: ", "))]") }
        let foreignKeys = foreignKeys(table, records)
        if !foreignKeys.isEmpty {
            let lines = foreignKeys.map { "        \($0),\n" }.joined()
            arguments.append("foreignKeys = [\n\(lines)    ]")
        }
        var text = "@Entity(\n" + arguments.map { "    \($0),\n" }.joined() + ")\n"
        text += "data class \(quoted(record.name))(\n"
        for (column, member) in zip(table.columns, record.members) {
            let name = member == column.name ? "" : "@ColumnInfo(name = \(literal(column.name))) "
            let isRequired = column.isRequired || key.contains(column.name)
            let note = column.kind == .json ? "  // JSON" : ""
            text +=
                "    \(name)val \(quoted(member)): \(type(column.kind))\(isRequired ? "" : "?"),\(note)\n"
        }
        return text + ")\n"
    }

    private static func foreignKeys(_ table: SQLTable, _ records: [SQLRecord]) -> [String] {
        table.columns.compactMap { column in
            guard let reference = column.reference,
                let target = records.first(where: { $0.table.name == reference.table })
            else { return nil }
            return "ForeignKey(entity = \(quoted(target.name))::class, "
                + "parentColumns = [\(literal(reference.column))], "
                + "childColumns = [\(literal(column.name))], deferred = true)"
        }
    }

    private static func type(_ kind: SQLKind) -> String {
        switch kind {
        case .int: "Long"
        case .bool: "Boolean"
        case .float: "Float"
        case .double: "Double"
        case .bytes: "ByteArray"
        case .decimal, .text, .objectID, .uuid, .json, .date, .dateNanoseconds, .dateText: "String"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.map(literal).joined(separator: ", ")
    }

    private static func literal(_ text: String) -> String {
        ModelNames.literal(text, escaping: "$")
    }

    private static func quoted(_ name: String) -> String { KotlinClasses.language.quoted(name) }

    static let reservedTypes: Set<String> = [
        "Any", "Boolean", "ByteArray", "ColumnInfo", "Double", "Entity", "Float", "ForeignKey",
        "Index", "Long", "String",
    ]
    static let reservedMembers: Set<String> = []
}
