import RealmEngine
import RealmRecords
import ToolKit

/// Output format: classes for the Realm JavaScript SDK, in TypeScript.
enum TypeScriptClasses: ClassWriter {
    static func text(_ table: TableInfo, _ classes: NamedClasses) -> String {
        let name = classes.name(table)
        let members = language.reservedMembers
        var taken = ModelNames(reserved: members)
        var fields = ""
        var properties = ""
        for (index, column) in table.columns.enumerated() {
            // In quotation marks, any text is valid as a member name, except the empty text and the
            // names of members that every object has.
            let property =
                members.contains(column.name) || column.name.isEmpty
                ? taken.name(for: column.name) : column.name
            guard let type = language.type(column, classes),
                var parts = schema(column, isKey: index == table.primaryKey, classes)
            else {
                fields += "  \(ModelNames.untyped(column))\n"
                continue
            }
            let mark = column.isNullable && column.collection == nil ? "?" : "!"
            fields += "  \(key(property))\(mark): \(type);\n"
            if property != column.name { parts.append("mapTo: \(ModelNames.literal(column.name))") }
            properties += "      \(key(property)): { \(parts.joined(separator: ", ")) },\n"
        }
        var lines = ["name: \(ModelNames.literal(table.className))"]
        if let key = table.primaryKey {
            lines.append("primaryKey: \(ModelNames.literal(table.columns[key].name))")
        }
        if table.kind == .embedded { lines.append("embedded: true") }
        if table.kind == .asymmetric { lines.append("asymmetric: true") }
        return "export class \(name) extends Realm.Object<\(name)> {\n" + fields
            + "\n  static schema: ObjectSchema = {\n"
            + lines.map { "    \($0),\n" }.joined()
            + "    properties: {\n" + properties + "    },\n  };\n}\n"
    }

    /// Returns the description of a property in a Realm JavaScript schema, such as `type: "string"`
    /// and `optional: true`; nil if Realm JavaScript has no type for the property.
    private static func schema(
        _ column: ColumnInfo, isKey: Bool, _ classes: NamedClasses
    ) -> [String]? {
        let target = classes.target(column).map { ModelNames.literal($0.className) }
        guard let name = column.type == .link ? target : names[column.type] else { return nil }
        var parts: [String]
        switch (column.collection, column.type) {
        case (nil, .link): parts = ["type: \"object\"", "objectType: \(name)"]
        case (nil, _): parts = ["type: \(name)"]
        case (let kind?, _): parts = ["type: \"\(kind.rawValue)\"", "objectType: \(name)"]
        }
        if column.type == .link ? column.mayLinkNowhere : column.isNullable && column.type != .mixed
        {
            parts.append("optional: true")
        }
        if column.collection == nil {
            if column.index == .general, !isKey { parts.append("indexed: true") }
            if column.index == .fullText { parts.append("indexed: \"full-text\"") }
        }
        return parts
    }

    /// For each stored type, its name in a property description.
    private static let names: [ColumnType: String] = [
        .int: "\"int\"", .bool: "\"bool\"", .string: "\"string\"", .binary: "\"data\"",
        .timestamp: "\"date\"", .float: "\"float\"", .double: "\"double\"",
        .objectID: "\"objectId\"", .decimal: "\"decimal128\"", .uuid: "\"uuid\"",
        .mixed: "\"mixed\"",
    ]

    /// Returns a member name; in quotation marks if it is not an identifier.
    private static func key(_ name: String) -> String {
        let isPlain =
            name.utf8.first.map { $0 < 0x30 || $0 > 0x39 } == true
            && name.utf8.allSatisfy {
                ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39)
                    || $0 == 0x5F || $0 == 0x24
            }
        return isPlain ? name : ModelNames.literal(name)
    }

    static let language = ClassLanguage(
        header: "import Realm, { BSON, ObjectSchema } from \"realm\";\n",
        types: [
            .int: "Realm.Types.Int", .bool: "Realm.Types.Bool", .string: "Realm.Types.String",
            .binary: "Realm.Types.Data", .timestamp: "Realm.Types.Date",
            .float: "Realm.Types.Float", .double: "Realm.Types.Double",
            .objectID: "BSON.ObjectId", .decimal: "BSON.Decimal128", .uuid: "BSON.UUID",
            .mixed: "Realm.Types.Mixed",
        ],
        optional: " | null",
        list: "Realm.List<%>", set: "Realm.Set<%>", dictionary: "Realm.Dictionary<%>",
        // Keywords are not valid as class names. They are valid as member names.
        reservedTypes: [
            "BSON", "Date", "Object", "ObjectSchema", "Realm", "any", "await", "bigint", "boolean",
            "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
            "do",
            "else", "enum", "export", "extends", "false", "finally", "for", "function", "if",
            "implements", "import", "in", "instanceof", "interface", "let", "never", "new", "null",
            "number", "object", "package", "private", "protected", "public", "return", "static",
            "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof",
            "undefined", "unknown", "var", "void", "while", "with", "yield",
        ],
        reservedMembers: [
            "__proto__", "addListener", "constructor", "entries", "getPropertyType", "isValid",
            "keys",
            "linkingObjects", "linkingObjectsCount", "objectSchema", "removeAllListeners",
            "removeListener", "toJSON",
        ])
}
