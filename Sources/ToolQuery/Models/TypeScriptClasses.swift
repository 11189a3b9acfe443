import RealmEngine
import ToolKit

/// Classes of the Realm JavaScript SDK, in TypeScript.
struct TypeScriptClasses: ModelClasses {
    static let header =
        "import Realm, { BSON, ObjectSchema } from \"realm\";\n"

    private let classes: NamedClasses

    init(_ classes: NamedClasses) { self.classes = classes }

    func text(_ table: TableInfo) -> String {
        let name = classes.name(table)
        var taken = ModelNames(reserved: Self.members)
        var fields = ""
        var properties = ""
        for (index, column) in table.columns.enumerated() {
            // Any text can be the name of a member, in quotes, unless every object has it.
            let property =
                Self.members.contains(column.name) || column.name.isEmpty
                ? taken.name(for: column.name) : column.name
            guard let (type, shape) = shape(column, isKey: index == table.primaryKey) else {
                fields += "  \(ModelNames.untyped(column))\n"
                continue
            }
            let mark = column.isNullable && column.collection == nil ? "?" : "!"
            fields += "  \(Self.key(property))\(mark): \(type);\n"
            var parts = shape
            if property != column.name { parts.append("mapTo: \(ModelNames.literal(column.name))") }
            properties += "      \(Self.key(property)): { \(parts.joined(separator: ", ")) },\n"
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

    /// The type of a member, and what the schema says of it; nil for what the API has no type for.
    private func shape(_ column: ColumnInfo, isKey: Bool) -> (type: String, parts: [String])? {
        guard let (name, type) = element(column), !column.hasIntegerKeys else { return nil }
        let mayBeNull =
            column.type == .mixed
            ? false
            : column.type == .link
                ? column.mayLinkNowhere : column.isNullable
        let element = mayBeNull ? "\(type) | null" : type
        var parts: [String] = []
        switch (column.collection, column.type) {
        case (nil, .link): parts = ["type: \"object\"", "objectType: \(name)"]
        case (nil, _): parts = ["type: \(name)"]
        case (let kind?, _): parts = ["type: \"\(kind.rawValue)\"", "objectType: \(name)"]
        }
        if mayBeNull { parts.append("optional: true") }
        if column.collection == nil {
            if column.index == .general, !isKey { parts.append("indexed: true") }
            if column.index == .fullText { parts.append("indexed: \"full-text\"") }
        }
        switch column.collection {
        case nil: return (element, parts)
        case .list?: return ("Realm.List<\(element)>", parts)
        case .set?: return ("Realm.Set<\(element)>", parts)
        case .dictionary?: return ("Realm.Dictionary<\(element)>", parts)
        }
    }

    private func element(_ column: ColumnInfo) -> (name: String, type: String)? {
        switch column.type {
        case .int: ("\"int\"", "Realm.Types.Int")
        case .bool: ("\"bool\"", "Realm.Types.Bool")
        case .string: ("\"string\"", "Realm.Types.String")
        case .binary: ("\"data\"", "Realm.Types.Data")
        case .timestamp: ("\"date\"", "Realm.Types.Date")
        case .float: ("\"float\"", "Realm.Types.Float")
        case .double: ("\"double\"", "Realm.Types.Double")
        case .objectID: ("\"objectId\"", "BSON.ObjectId")
        case .decimal: ("\"decimal128\"", "BSON.Decimal128")
        case .uuid: ("\"uuid\"", "BSON.UUID")
        case .mixed: ("\"mixed\"", "Realm.Types.Mixed")
        case .link:
            classes.target(column).map { (ModelNames.literal($0.className), classes.name($0)) }
        default: nil
        }
    }

    /// A member's name, in quotes where it is no identifier.
    private static func key(_ name: String) -> String {
        let isPlain =
            name.utf8.first.map { $0 < 0x30 || $0 > 0x39 } == true
            && name.utf8.allSatisfy {
                ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39)
                    || $0 == 0x5F || $0 == 0x24
            }
        return isPlain ? name : ModelNames.literal(name)
    }

    /// What a class of the same name would hide, and words of the language.
    static let types: Set<String> = [
        "BSON", "Date", "Object", "ObjectSchema", "Realm", "any", "await", "bigint", "boolean",
        "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
        "do",
        "else", "enum", "export", "extends", "false", "finally", "for", "function", "if",
        "implements", "import", "in", "instanceof", "interface", "let", "never", "new", "null",
        "number", "object", "package", "private", "protected", "public", "return", "static",
        "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof",
        "undefined", "unknown", "var", "void", "while", "with", "yield",
    ]

    /// Members that every object has.
    private static let members: Set<String> = [
        "__proto__", "addListener", "constructor", "entries", "getPropertyType", "isValid", "keys",
        "linkingObjects", "linkingObjectsCount", "objectSchema", "removeAllListeners",
        "removeListener", "toJSON",
    ]
}
