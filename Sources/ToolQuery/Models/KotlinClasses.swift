import RealmEngine
import RealmRecords
import ToolKit

/// Output format: classes for the Realm Kotlin SDK.
enum KotlinClasses: AttributedClasses {
    static let primaryKey = "@PrimaryKey"
    static let index = "@Index"
    static let fullTextIndex = "@FullText"
    static let separator = ""

    static func rename(_ stored: String) -> String {
        "@PersistedName(\(ModelNames.literal(stored, escaping: "$")))"
    }

    static func opening(_ name: String, _ kind: TableKind) -> String {
        let base =
            switch kind {
            case .embedded: "EmbeddedRealmObject"
            case .asymmetric: "AsymmetricRealmObject"
            case .topLevel: "RealmObject"
            }
        return "class \(name) : \(base) {\n"
    }

    static func property(_ name: String, _ type: String, _ column: ColumnInfo) -> String {
        "var \(name): \(type) = \(initial(column))"
    }

    /// Returns the initial value of a property.
    private static func initial(_ column: ColumnInfo) -> String {
        switch column.collection {
        case .list?: "realmListOf()"
        case .set?: "realmSetOf()"
        case .dictionary?: "realmDictionaryOf()"
        case nil: column.isNullable ? "null" : initials[column.type] ?? "null"
        }
    }

    private static let initials: [ColumnType: String] = [
        .int: "0", .bool: "false", .string: "\"\"", .binary: "byteArrayOf()",
        .timestamp: "RealmInstant.from(0, 0)", .float: "0f", .double: "0.0",
        .objectID: "ObjectId()", .decimal: "Decimal128(\"0\")", .uuid: "RealmUUID.random()",
    ]

    static func reservedMembers(_ className: String) -> Set<String> { language.reservedMembers }

    static let language = ClassLanguage(
        header: "import io.realm.kotlin.ext.*\n"
            + "import io.realm.kotlin.types.*\n"
            + "import io.realm.kotlin.types.annotations.*\n"
            + "import org.mongodb.kbson.Decimal128\nimport org.mongodb.kbson.ObjectId\n",
        types: [
            .int: "Long", .bool: "Boolean", .string: "String", .binary: "ByteArray",
            .timestamp: "RealmInstant", .float: "Float", .double: "Double",
            .objectID: "ObjectId", .decimal: "Decimal128", .uuid: "RealmUUID",
            .mixed: "RealmAny?",
        ],
        list: "RealmList<%>", set: "RealmSet<%>", dictionary: "RealmDictionary<%>",
        words: words,
        reservedTypes: [
            "Any", "AsymmetricRealmObject", "Boolean", "ByteArray", "Decimal128", "Double",
            "EmbeddedRealmObject", "Float", "FullText", "Index", "Long", "ObjectId",
            "PersistedName", "PrimaryKey", "RealmAny", "RealmDictionary", "RealmInstant",
            "RealmList", "RealmObject", "RealmSet", "RealmUUID", "String",
        ],
        // The compiler plugin adds this member to every object.
        reservedMembers: ["io_realm_kotlin_objectReference"])

    static let words: Set<String> = [
        "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in",
        "interface", "is", "null", "object", "package", "return", "super", "this", "throw",
        "true", "try", "typealias", "typeof", "val", "var", "when", "while",
    ]
}
