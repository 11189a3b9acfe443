import RealmEngine
import ToolKit

/// The schema as classes of the API of a Realm SDK. Names that cannot stand in the language get
/// others, which the classes map to those of the file.
protocol ModelClasses {
    init(_ schema: Schema, _ tables: [TableInfo])

    func append(to out: inout ByteBuffer)
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

    /// Names of all classes of a schema, by those of the file.
    static func classes(_ schema: Schema, reserved: Set<String>) -> [String: String] {
        var taken = ModelNames(reserved: reserved)
        return Dictionary(
            uniqueKeysWithValues: schema.classes.map {
                ($0.className, taken.name(for: $0.className))
            })
    }

    /// On one line.
    static func comment(_ text: String) -> String { DisplayWidth.printable(text) }

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
