import RealmEngine
import ToolKit

/// Classes of the Realm Kotlin SDK.
struct KotlinClasses: ModelClasses {
    static let header =
        "import io.realm.kotlin.ext.*\n"
        + "import io.realm.kotlin.types.*\n"
        + "import io.realm.kotlin.types.annotations.*\n"
        + "import org.mongodb.kbson.Decimal128\nimport org.mongodb.kbson.ObjectId\n"

    private let classes: NamedClasses

    init(_ classes: NamedClasses) { self.classes = classes }

    func text(_ table: TableInfo) -> String {
        let name = classes.name(table)
        if table.columns.isEmpty {
            return ModelNames.withoutProperties(name)
        }
        let base =
            switch table.kind {
            case .embedded: "EmbeddedRealmObject"
            case .asymmetric: "AsymmetricRealmObject"
            case .topLevel: "RealmObject"
            }
        var text = ""
        if name != table.className { text += "@PersistedName(\(Self.literal(table.className)))\n" }
        text += "class \(Self.quoted(name)) : \(base) {\n"
        var taken = ModelNames(reserved: Self.members)
        for (index, column) in table.columns.enumerated() {
            let property = taken.name(for: column.name)
            text += lines(column, property, isKey: index == table.primaryKey)
        }
        return text + "}\n"
    }

    private func lines(_ column: ColumnInfo, _ name: String, isKey: Bool) -> String {
        guard let (type, value) = type(column) else {
            return "    \(ModelNames.untyped(column))\n"
        }
        var text = ""
        if isKey {
            text += "    @PrimaryKey\n"
        } else if column.collection == nil {
            if column.index == .general { text += "    @Index\n" }
            if column.index == .fullText { text += "    @FullText\n" }
        }
        if name != column.name { text += "    @PersistedName(\(Self.literal(column.name)))\n" }
        return text + "    var \(Self.quoted(name)): \(type) = \(value)\n"
    }

    /// A type and the value of a new object; nil for what the API has no type for.
    private func type(_ column: ColumnInfo) -> (String, String)? {
        guard let (element, value) = element(column), !column.hasIntegerKeys else { return nil }
        switch column.collection {
        case nil: return (element, value)
        case .list?: return ("RealmList<\(element)>", "realmListOf()")
        case .set?: return ("RealmSet<\(element)>", "realmSetOf()")
        case .dictionary?: return ("RealmDictionary<\(element)>", "realmDictionaryOf()")
        }
    }

    private func element(_ column: ColumnInfo) -> (String, String)? {
        let (name, value): (String, String)
        switch column.type {
        case .int: (name, value) = ("Long", "0")
        case .bool: (name, value) = ("Boolean", "false")
        case .string: (name, value) = ("String", "\"\"")
        case .binary: (name, value) = ("ByteArray", "byteArrayOf()")
        case .timestamp: (name, value) = ("RealmInstant", "RealmInstant.from(0, 0)")
        case .float: (name, value) = ("Float", "0f")
        case .double: (name, value) = ("Double", "0.0")
        case .objectID: (name, value) = ("ObjectId", "ObjectId()")
        case .decimal: (name, value) = ("Decimal128", "Decimal128(\"0\")")
        case .uuid: (name, value) = ("RealmUUID", "RealmUUID.random()")
        case .mixed: return ("RealmAny?", "null")
        case .link:
            guard let target = classes.target(column).map(classes.name) else { return nil }
            return (Self.quoted(target) + (column.mayLinkNowhere ? "?" : ""), "null")
        default: return nil
        }
        return column.isNullable ? (name + "?", "null") : (name, value)
    }

    private static func literal(_ text: String) -> String {
        ModelNames.literal(text, escaping: "$")
    }

    /// In the quotes that words of the language need.
    private static func quoted(_ name: String) -> String {
        words.contains(name) ? "`\(name)`" : name
    }

    private static let words: Set<String> = [
        "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in",
        "interface", "is", "null", "object", "package", "return", "super", "this", "throw", "true",
        "try", "typealias", "typeof", "val", "var", "when", "while",
    ]

    /// Types that a class of the same name would hide.
    static let types: Set<String> = [
        "Any", "AsymmetricRealmObject", "Boolean", "ByteArray", "Decimal128", "Double",
        "EmbeddedRealmObject", "Float", "FullText", "Index", "Long", "ObjectId", "PersistedName",
        "PrimaryKey", "RealmAny", "RealmDictionary", "RealmInstant", "RealmList", "RealmObject",
        "RealmSet", "RealmUUID", "String",
    ]

    /// Members that every object has, and what the compiler adds.
    private static let members: Set<String> = ["io_realm_kotlin_objectReference"]
}
