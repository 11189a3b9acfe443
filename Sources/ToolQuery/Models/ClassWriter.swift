import RealmEngine
import ToolKit

/// A writer of the classes of a schema in a programming language. A name that is invalid in the
/// language is replaced, and an attribute contains the stored name.
protocol ClassWriter: SchemaForm {
    static var language: ClassLanguage { get }

    static func text(_ table: TableInfo, _ classes: NamedClasses) -> String
}

extension ClassWriter {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        let classes = NamedClasses(subject.schema, reserved: language.reservedTypes)
        out.append(language.header)
        for table in subject.tables { out.append("\n" + text(table, classes)) }
    }
}

/// The names of the classes of a schema in a programming language.
struct NamedClasses {
    private let schema: Schema
    /// The names, by stored name.
    private let names: [String: String]

    init(_ schema: Schema, reserved: Set<String>) {
        self.schema = schema
        var taken = ModelNames(reserved: reserved)
        names = Dictionary(
            uniqueKeysWithValues: schema.classes.map {
                ($0.className, taken.name(for: $0.className))
            })
    }

    func name(_ table: TableInfo) -> String { names[table.className] ?? table.className }

    /// Returns the target class of a link property; nil if it is not part of the schema.
    func target(_ column: ColumnInfo) -> TableInfo? {
        schema.table(column.target).flatMap { names[$0.className] == nil ? nil : $0 }
    }
}

extension ColumnInfo {
    /// Whether a link in the property can be null. It cannot be null in lists and sets.
    var mayLinkNowhere: Bool { collection == nil || collection == .dictionary }
}

/// Finds names that are valid in a language and different from each other.
struct ModelNames {
    private var taken: Set<String>
    /// If it is not nil, each name with this prefix is reserved, too.
    private let prefix: String?

    init(reserved: Set<String>, isReserving prefix: String? = nil) {
        taken = reserved
        self.prefix = prefix
    }

    /// Returns the stored name if it is valid and not yet used; otherwise a similar name.
    mutating func name(for stored: String) -> String {
        var name = String(stored.map { Self.isPart($0) ? $0 : "_" })
        if name.isEmpty || name.first!.isNumber { name = "_" + name }
        // A name of underscores only is not valid.
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

    /// Returns a comment for a property whose type the API does not support.
    static func untyped(_ column: ColumnInfo) -> String {
        "// \(DisplayWidth.printable(column.name)): \(column.type.name), for which there is no type"
    }

    /// Returns a comment for a class without properties, which the language does not permit.
    static func withoutProperties(_ name: String) -> String {
        "// \(name) has no properties, which no class may lack.\n"
    }

    /// Returns a string literal in double quotes. Characters other than printable ASCII become `\u`
    /// escapes; those in `special` get a backslash.
    static func literal(_ text: String, escaping special: String = "") -> String {
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
