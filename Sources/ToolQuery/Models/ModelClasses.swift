import RealmEngine
import ToolKit

/// The schema as classes of the API of a Realm SDK. Names that cannot stand in the language get
/// others, which the classes map to those of the file.
protocol ModelClasses {
    /// What stands before the classes.
    static var header: String { get }
    /// Names that no class may have: they would hide something.
    static var types: Set<String> { get }

    init(_ classes: NamedClasses)

    func text(_ table: TableInfo) -> String
}

extension ModelClasses {
    /// Appends the classes of `tables`.
    static func append(_ schema: Schema, _ tables: [TableInfo], to out: inout ByteBuffer) {
        let model = Self(NamedClasses(schema, reserved: types))
        out.append(header)
        for table in tables { out.append("\n" + model.text(table)) }
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

extension OutputFormat {
    /// What makes classes of a schema; nil for forms that are no programming language.
    var models: (any ModelClasses.Type)? {
        switch self {
        case .swift: SwiftClasses.self
        case .kotlin: KotlinClasses.self
        case .typescript: TypeScriptClasses.self
        case .csharp: CSharpClasses.self
        default: nil
        }
    }
}

/// Names that a language takes, each once.
struct ModelNames {
    private var taken: Set<String>

    init(reserved: Set<String>) { taken = reserved }

    /// The name itself if it can be one, else one like it.
    mutating func name(for stored: String) -> String {
        var name = String(stored.map { Self.isPart($0) ? $0 : "_" })
        if name.isEmpty || name.first!.isNumber { name = "_" + name }
        // A single underscore is no name.
        if name.allSatisfy({ $0 == "_" }) { name += "x" }
        while !taken.insert(name).inserted { name += "_" }
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
