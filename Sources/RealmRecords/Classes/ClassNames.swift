import RealmEngine

/// Names of a schema's classes in a programming language, such as Swift.
package struct NamedClasses {
    private let schema: Schema
    /// For each class name in the schema, the class name in the language.
    private let names: [String: String]

    package init(_ schema: Schema, reserved: Set<String>) {
        self.schema = schema
        var taken = ModelNames(reserved: reserved)
        names = Dictionary(
            uniqueKeysWithValues: schema.classes.map {
                ($0.className, taken.name(for: $0.className))
            })
    }

    package func name(_ table: TableInfo) -> String { names[table.className] ?? table.className }

    /// Returns the target class of a link property; nil if it is not part of the schema.
    package func target(_ column: ColumnInfo) -> TableInfo? {
        schema.table(column.target).flatMap { names[$0.className] == nil ? nil : $0 }
    }
}

extension ColumnInfo {
    /// Whether links of the property can be null: not in lists and sets.
    package var mayLinkNowhere: Bool { collection == nil || collection == .dictionary }
}

/// Allocator of distinct names that are valid in a language.
package struct ModelNames {
    private var taken: Set<String>
    /// Prefix with which the language derives a second name from each name: `_` if it also declares
    /// `_age` for `age`. Nil for none. `name(for:)` reserves both names.
    private let prefix: String?

    package init(reserved: Set<String>, isReserving prefix: String? = nil) {
        taken = reserved
        self.prefix = prefix
    }

    /// Returns the stored name if it is valid in the language and not reserved, else a similar
    /// name.
    package mutating func name(for stored: String) -> String {
        var name = String(stored.map { Self.isPart($0) ? $0 : "_" })
        if name.isEmpty || name.first!.isNumber { name = "_" + name }
        // A name that consists of underscores is not valid.
        if name.allSatisfy({ $0 == "_" }) { name += "x" }
        while taken.contains(name) || prefix.map({ taken.contains($0 + name) }) == true {
            name += "_"
        }
        taken.insert(name)
        if let prefix { taken.insert(prefix + name) }
        return name
    }

    private static func isPart(_ character: Character) -> Bool {
        if character.isASCII { return character.isLetter || character.isNumber || character == "_" }
        return character.isLetter
    }

    /// Returns a comment for generated code. The comment replaces a property whose type the
    /// generated classes cannot declare.
    package static func untyped(_ column: ColumnInfo) -> String {
        let name = literal(column.name).dropFirst().dropLast()
        return "// \(name): \(column.type.name), for which there is no type"
    }

    /// Returns a comment for generated code. The comment replaces a class without properties, which
    /// the language does not permit.
    package static func withoutProperties(_ name: String) -> String {
        "// \(name) has no properties, which no class may lack.\n"
    }

    /// Returns a string literal in double quotes. Characters other than printable ASCII become `\u`
    /// escapes. A backslash precedes the characters in `special`.
    package static func literal(_ text: String, escaping special: String = "") -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x5C: result += "\\" + String(UnicodeScalar(UInt8(unit)))
            case 0x20..<0x7F:
                let scalar = UnicodeScalar(UInt8(unit))
                if special.unicodeScalars.contains(scalar) { result += "\\" }
                result.unicodeScalars.append(scalar)
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}
