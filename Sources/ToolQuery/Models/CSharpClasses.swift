import RealmEngine
import RealmRecords
import ToolKit

/// Classes for the Realm .NET SDK.
enum CSharpClasses: AttributedClasses {
    static let primaryKey = "[PrimaryKey]"
    static let index = "[Indexed]"
    static let fullTextIndex = "[Indexed(IndexType.FullText)]"
    static let separator = "\n"

    static func rename(_ stored: String) -> String { "[MapTo(\(ModelNames.literal(stored)))]" }

    static func opening(_ name: String, _ kind: TableKind) -> String {
        let base =
            switch kind {
            case .embedded: "IEmbeddedObject"
            case .asymmetric: "IAsymmetricObject"
            case .topLevel: "IRealmObject"
            }
        return "public partial class \(name) : \(base)\n{\n"
    }

    static func property(_ name: String, _ type: String, _ column: ColumnInfo) -> String {
        let isReference = [.string, .binary, .link].contains(column.type)
        let accessors =
            column.collection != nil
            ? "{ get; } = null!;"
            : isReference && !type.hasSuffix("?") ? "{ get; set; } = null!;" : "{ get; set; }"
        return "public \(type) \(name) \(accessors)"
    }

    /// A member of a class may not have the name of the class.
    static func reservedMembers(_ className: String) -> Set<String> {
        language.reservedMembers.union([className])
    }

    static let language = ClassLanguage(
        header: "#nullable enable\nusing System;\nusing System.Collections.Generic;\n"
            + "using MongoDB.Bson;\nusing Realms;\n",
        types: [
            .int: "long", .bool: "bool", .string: "string", .binary: "byte[]",
            .timestamp: "DateTimeOffset", .float: "float", .double: "double",
            .objectID: "ObjectId", .decimal: "Decimal128", .uuid: "Guid", .mixed: "RealmValue",
        ],
        list: "IList<%>", set: "ISet<%>", dictionary: "IDictionary<string, %>",
        words: [
            "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked",
            "class", "const", "continue", "decimal", "default", "delegate", "do", "double",
            "else", "enum", "event", "explicit", "extern", "false", "finally", "fixed", "float",
            "for", "foreach", "goto", "if", "implicit", "in", "int", "interface", "internal",
            "is", "lock", "long", "namespace", "new", "null", "object", "operator", "out",
            "override", "params", "private", "protected", "public", "readonly", "ref", "return",
            "sbyte", "sealed", "short", "sizeof", "stackalloc", "static", "string", "struct",
            "switch", "this", "throw", "true", "try", "typeof", "uint", "ulong", "unchecked",
            "unsafe", "ushort", "using", "virtual", "void", "volatile", "while",
        ],
        quotes: ("@", ""),
        reservedTypes: [
            "DateTimeOffset", "Decimal128", "Guid", "IAsymmetricObject", "IDictionary",
            "IEmbeddedObject", "IList", "IRealmObject", "ISet", "IndexType", "Indexed", "MapTo",
            "MongoDB", "ObjectId", "PrimaryKey", "Realm", "RealmValue", "Realms", "System",
            "dynamic", "record", "var",
        ],
        // Every object has members with these names.
        reservedMembers: [
            "Accessor", "BacklinksCount", "DynamicApi", "Equals", "GetHashCode", "GetType",
            "IsFrozen", "IsManaged", "IsValid", "MemberwiseClone", "ObjectSchema",
            "PropertyChanged", "Realm", "ReferenceEquals", "SetManagedAccessor", "ToString",
        ])
}
