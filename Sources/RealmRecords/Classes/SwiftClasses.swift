import RealmEngine

/// Classes for the Realm Swift SDK. Names that are invalid in Swift are replaced and mapped to the
/// stored names.
package enum SwiftClasses {
    /// Returns the source text of all classes of a schema.
    package static func text(_ schema: Schema) -> String {
        let classes = NamedClasses(schema, reserved: language.reservedTypes)
        return language.header + schema.classes.map { "\n" + text($0, classes) }.joined()
    }

    package static func text(_ table: TableInfo, _ classes: NamedClasses) -> String {
        let name = classes.name(table)
        if table.columns.isEmpty { return ModelNames.withoutProperties(name) }
        let base = table.kind == .embedded ? "EmbeddedObject" : "Object"
        var text = "final class \(language.quoted(name)): \(base) {\n"
        var taken = ModelNames(reserved: language.reservedMembers)
        var mapping: [(name: String, column: String)] = []
        for (index, column) in table.columns.enumerated() {
            let property = taken.name(for: column.name)
            if property != column.name { mapping.append((property, column.name)) }
            let isKey = index == table.primaryKey
            text += "    " + declaration(column, property, isKey: isKey, classes) + "\n"
        }
        if name != table.className {
            text += "\n    override class func _realmObjectName() -> String? {\n"
            text += "        \(SwiftNames.literal(table.className))\n    }\n"
        }
        return text + self.text(mapping) + "}\n"
    }

    private static func text(_ mapping: [(name: String, column: String)]) -> String {
        if mapping.isEmpty { return "" }
        let lines = mapping.map {
            "            \(SwiftNames.literal($0.name)): \(SwiftNames.literal($0.column)),\n"
        }
        return "\n    override class func propertiesMapping() -> [String: String] {\n        [\n"
            + lines.joined() + "        ]\n    }\n"
    }

    private static func declaration(
        _ column: ColumnInfo, _ name: String, isKey: Bool, _ classes: NamedClasses
    ) -> String {
        guard let type = language.type(column, classes) else { return ModelNames.untyped(column) }
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
        return "\(wrapper) var \(language.quoted(name)): \(type)\(note)"
    }

    package static let language = ClassLanguage(
        header: "import Foundation\nimport RealmSwift\n",
        types: SwiftNames.foundationTypes.merging(
            [.objectID: "ObjectId", .decimal: "Decimal128", .mixed: "AnyRealmValue"]
        ) { $1 },
        list: "List<%>", set: "MutableSet<%>", dictionary: "Map<String, %>",
        words: SwiftNames.words, reservedTypes: SwiftNames.types,
        reservedMembers: SwiftNames.members)
}

/// Reserved names and literals of Swift.
package enum SwiftNames {
    /// Types of the standard library and Foundation, by the property type in the database.
    package static let foundationTypes: [ColumnType: String] = [
        .int: "Int", .bool: "Bool", .string: "String", .binary: "Data", .timestamp: "Date",
        .float: "Float", .double: "Double", .uuid: "UUID",
    ]

    package static func literal(_ text: String) -> String {
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

    package static let words: Set<String> = [
        "actor", "any", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
        "is",
        "let", "nil", "nonisolated", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Types that a class with the same name would hide.
    package static let types: Set<String> = [
        "AnyRealmValue", "AnyRealmCollection", "Any", "Bool", "Data", "Date", "Decimal128",
        "Double",
        "DynamicObject", "EmbeddedObject", "Float", "Foundation", "Int", "LinkingObjects", "List",
        "Map",
        "Migration", "MutableSet", "NSObject", "Object", "ObjectBase", "ObjectId", "Optional",
        "Persisted", "Projection", "Protocol", "Realm", "RealmSwift", "Results", "Self", "String",
        "Type", "UUID",
    ]

    /// Members of every object.
    package static let members: Set<String> = [
        "className", "copy", "debugDescription", "description", "freeze", "hash", "hashValue",
        "init",
        "isFrozen", "isInvalidated", "isProxy", "mutableCopy", "objectSchema", "observe", "realm",
        "self",
        "superclass", "thaw", "Type", "Protocol",
    ]
}
