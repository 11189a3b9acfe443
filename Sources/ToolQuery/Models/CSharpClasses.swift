import RealmEngine
import ToolKit

/// Classes of the Realm .NET SDK.
struct CSharpClasses: ModelClasses {
    static let header =
        "#nullable enable\nusing System;\nusing System.Collections.Generic;\n"
        + "using MongoDB.Bson;\nusing Realms;\n"

    private let classes: NamedClasses

    init(_ classes: NamedClasses) { self.classes = classes }

    func text(_ table: TableInfo) -> String {
        let name = classes.name(table)
        if table.columns.isEmpty {
            return ModelNames.withoutProperties(name)
        }
        let base =
            switch table.kind {
            case .embedded: "IEmbeddedObject"
            case .asymmetric: "IAsymmetricObject"
            case .topLevel: "IRealmObject"
            }
        var text = ""
        if name != table.className { text += "[MapTo(\(ModelNames.literal(table.className)))]\n" }
        text += "public partial class \(Self.quoted(name)) : \(base)\n{\n"
        // No member has the name of its class.
        var taken = ModelNames(reserved: Self.members.union([name]))
        var members: [String] = []
        for (index, column) in table.columns.enumerated() {
            let property = taken.name(for: column.name)
            members.append(lines(column, property, isKey: index == table.primaryKey))
        }
        return text + members.joined(separator: "\n") + "}\n"
    }

    private func lines(_ column: ColumnInfo, _ name: String, isKey: Bool) -> String {
        guard let (type, rest) = type(column) else {
            return "    \(ModelNames.untyped(column))\n"
        }
        var text = ""
        if isKey {
            text += "    [PrimaryKey]\n"
        } else if column.collection == nil {
            if column.index == .general { text += "    [Indexed]\n" }
            if column.index == .fullText { text += "    [Indexed(IndexType.FullText)]\n" }
        }
        if name != column.name { text += "    [MapTo(\(ModelNames.literal(column.name)))]\n" }
        return text + "    public \(type) \(Self.quoted(name)) \(rest)\n"
    }

    /// A type and what stands behind the name; nil for what the API has no type for.
    private func type(_ column: ColumnInfo) -> (String, String)? {
        guard let (element, isReference) = element(column), !column.hasIntegerKeys else {
            return nil
        }
        let made = "{ get; } = null!;"
        switch column.collection {
        case nil:
            let isSet = !isReference || element.hasSuffix("?")
            return (element, isSet ? "{ get; set; }" : "{ get; set; } = null!;")
        case .list?: return ("IList<\(element)>", made)
        case .set?: return ("ISet<\(element)>", made)
        case .dictionary?: return ("IDictionary<string, \(element)>", made)
        }
    }

    private func element(_ column: ColumnInfo) -> (String, isReference: Bool)? {
        let name: String
        var isReference = false
        switch column.type {
        case .int: name = "long"
        case .bool: name = "bool"
        case .string: (name, isReference) = ("string", true)
        case .binary: (name, isReference) = ("byte[]", true)
        case .timestamp: name = "DateTimeOffset"
        case .float: name = "float"
        case .double: name = "double"
        case .objectID: name = "ObjectId"
        case .decimal: name = "Decimal128"
        case .uuid: name = "Guid"
        case .mixed: return ("RealmValue", false)
        case .link:
            guard let target = classes.target(column).map(classes.name) else { return nil }
            return (Self.quoted(target) + (column.mayLinkNowhere ? "?" : ""), true)
        default: return nil
        }
        return (name + (column.isNullable ? "?" : ""), isReference)
    }

    /// As an identifier that is a word of the language.
    private static func quoted(_ name: String) -> String {
        words.contains(name) ? "@\(name)" : name
    }

    private static let words: Set<String> = [
        "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked",
        "class", "const", "continue", "decimal", "default", "delegate", "do", "double", "else",
        "enum", "event", "explicit", "extern", "false", "finally", "fixed", "float", "for",
        "foreach", "goto", "if", "implicit", "in", "int", "interface", "internal", "is", "lock",
        "long", "namespace", "new", "null", "object", "operator", "out", "override", "params",
        "private", "protected", "public", "readonly", "ref", "return", "sbyte", "sealed", "short",
        "sizeof", "stackalloc", "static", "string", "struct", "switch", "this", "throw", "true",
        "try", "typeof", "uint", "ulong", "unchecked", "unsafe", "ushort", "using", "virtual",
        "void", "volatile", "while",
    ]

    /// Types that a class of the same name would hide.
    static let types: Set<String> = [
        "DateTimeOffset", "Decimal128", "Guid", "IAsymmetricObject", "IDictionary",
        "IEmbeddedObject", "IList", "IRealmObject", "ISet", "IndexType", "Indexed", "MapTo",
        "MongoDB", "ObjectId", "PrimaryKey", "Realm", "RealmValue", "Realms", "System", "dynamic",
        "record", "var",
    ]

    /// Members that every object has.
    private static let members: Set<String> = [
        "Accessor", "BacklinksCount", "DynamicApi", "Equals", "GetHashCode", "GetType", "IsFrozen",
        "IsManaged", "IsValid", "MemberwiseClone", "ObjectSchema", "PropertyChanged", "Realm",
        "ReferenceEquals", "SetManagedAccessor", "ToString",
    ]
}
