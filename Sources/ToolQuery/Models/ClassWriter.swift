import RealmEngine
import ToolKit

/// Writer of a schema's classes in a programming language. A name that the language does not allow is
/// replaced, and an attribute of the class gives the name in the file.
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

/// The classes of a schema by the names they have in a language.
struct NamedClasses {
    private let schema: Schema
    /// By those of the file.
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

    /// The class that links of a property lead to.
    func target(_ column: ColumnInfo) -> TableInfo? {
        schema.table(column.target).flatMap { names[$0.className] == nil ? nil : $0 }
    }
}

extension ColumnInfo {
    /// In lists and sets links lead somewhere, alone and in dictionaries they need not.
    var mayLinkNowhere: Bool { collection == nil || collection == .dictionary }
}

/// Names that a language takes, each once.
struct ModelNames {
    private var taken: Set<String>
    /// Precedes each name to make another that is taken with it; nil if none is.
    private let prefix: String?

    init(reserved: Set<String>, isReserving prefix: String? = nil) {
        taken = reserved
        self.prefix = prefix
    }

    /// The name itself if it can be one, else one like it.
    mutating func name(for stored: String) -> String {
        var name = String(stored.map { Self.isPart($0) ? $0 : "_" })
        if name.isEmpty || name.first!.isNumber { name = "_" + name }
        // A single underscore is no name.
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

    /// In the place of a property for which the API has no type, on one line.
    static func untyped(_ column: ColumnInfo) -> String {
        "// \(DisplayWidth.printable(column.name)): \(column.type.name), for which there is no type"
    }

    /// In the place of a class that the language cannot have.
    static func withoutProperties(_ name: String) -> String {
        "// \(name) has no properties, which no class may lack.\n"
    }

    /// A text in double quotes, with `\u` and four digits for what is no plain character, and a
    /// backslash before the characters given.
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
