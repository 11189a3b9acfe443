import RealmEngine
import ToolKit

/// The schema as classes of the Realm Swift SDK's API. Names that cannot stand in Swift get others, which
/// the classes map to those of the file.
struct SwiftClasses: ModelClasses {
    static var types: Set<String> { SwiftNames.types }
    static let header =
        "import Foundation\nimport RealmSwift\n"

    private let classes: NamedClasses

    init(_ classes: NamedClasses) { self.classes = classes }

    func text(_ table: TableInfo) -> String {
        let name = classes.name(table)
        if table.columns.isEmpty {
            return ModelNames.withoutProperties(name)
        }
        let base = table.kind == .embedded ? "EmbeddedObject" : "Object"
        var text = "final class \(SwiftNames.quoted(name)): \(base) {\n"
        var taken = ModelNames(reserved: SwiftNames.members)
        var mapping: [(name: String, column: String)] = []
        for (index, column) in table.columns.enumerated() {
            let property = taken.name(for: column.name)
            if property != column.name { mapping.append((property, column.name)) }
            text += "    " + declaration(column, property, isKey: index == table.primaryKey) + "\n"
        }
        if name != table.className {
            text += "\n    override class func _realmObjectName() -> String? {\n"
            text += "        \(SwiftNames.literal(table.className))\n    }\n"
        }
        return text + Self.text(mapping) + "}\n"
    }

    private static func text(_ mapping: [(name: String, column: String)]) -> String {
        if mapping.isEmpty { return "" }
        let lines = mapping.map {
            "            \(SwiftNames.literal($0.name)): \(SwiftNames.literal($0.column)),\n"
        }
        return "\n    override class func propertiesMapping() -> [String: String] {\n        [\n"
            + lines.joined() + "        ]\n    }\n"
    }

    private func declaration(_ column: ColumnInfo, _ name: String, isKey: Bool) -> String {
        guard let type = type(column) else { return ModelNames.untyped(column) }
        var wrapper = "@Persisted"
        if isKey {
            wrapper += "(primaryKey: true)"
        } else if column.index == .general, column.collection == nil, column.type != .mixed {
            wrapper += "(indexed: true)"
        }
        let note =
            column.index == .fullText
            ? "  // has a full-text index"
            : column.index == .general && column.type == .mixed ? "  // has an index" : ""
        return "\(wrapper) var \(SwiftNames.quoted(name)): \(type)\(note)"
    }

    /// Nil for what the API has no type for.
    private func type(_ column: ColumnInfo) -> String? {
        guard let element = element(column), !column.hasIntegerKeys else { return nil }
        switch column.collection {
        case nil: return element
        case .list?: return "List<\(element)>"
        case .set?: return "MutableSet<\(element)>"
        case .dictionary?: return "Map<String, \(element)>"
        }
    }

    private func element(_ column: ColumnInfo) -> String? {
        let name: String
        switch column.type {
        case .int: name = "Int"
        case .bool: name = "Bool"
        case .string: name = "String"
        case .binary: name = "Data"
        case .timestamp: name = "Date"
        case .float: name = "Float"
        case .double: name = "Double"
        case .objectID: name = "ObjectId"
        case .decimal: name = "Decimal128"
        case .uuid: name = "UUID"
        case .mixed: return "AnyRealmValue"
        case .link:
            guard let target = classes.target(column).map(classes.name) else { return nil }
            return SwiftNames.quoted(target) + (column.mayLinkNowhere ? "?" : "")
        default: return nil
        }
        return name + (column.isNullable ? "?" : "")
    }
}

/// What Swift says of names.
enum SwiftNames {
    /// In the quotes that words of the language need.
    static func quoted(_ name: String) -> String { words.contains(name) ? "`\(name)`" : name }

    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _
            where scalar.value < 0x20 || scalar.value == 0x7F
                || !scalar.isASCII
                    && !scalar.properties.isAlphabetic:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static let words: Set<String> = [
        "actor", "any", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
        "is",
        "let", "nil", "nonisolated", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Types that a class of the same name would hide.
    static let types: Set<String> = [
        "AnyRealmValue", "AnyRealmCollection", "Any", "Bool", "Data", "Date", "Decimal128",
        "Double",
        "DynamicObject", "EmbeddedObject", "Float", "Foundation", "Int", "LinkingObjects", "List",
        "Map",
        "Migration", "MutableSet", "NSObject", "Object", "ObjectBase", "ObjectId", "Optional",
        "Persisted", "Projection", "Protocol", "Realm", "RealmSwift", "Results", "Self", "String",
        "Type", "UUID",
    ]

    /// Members that every object has.
    static let members: Set<String> = [
        "className", "copy", "debugDescription", "description", "freeze", "hash", "hashValue",
        "init",
        "isFrozen", "isInvalidated", "isProxy", "mutableCopy", "objectSchema", "observe", "realm",
        "self",
        "superclass", "thaw", "Type", "Protocol",
    ]
}
