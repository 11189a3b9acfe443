/// Type of an operand in the rules of coercion and comparison (query language 7).
enum OperandType: Hashable, Sendable {
    case int, bool, float, double, string, binary, timestamp, objectID, decimal, uuid
    /// A value of any type; the type is only known value by value. Also the type of a list literal.
    case mixed
    case link(TableKey)
    /// Operand type of `@type`, which evaluates to the name of a type.
    case typeName
    /// The literal null without a type.
    case null

    init(_ type: ColumnType, target: TableKey) {
        switch type {
        case .int: self = .int
        case .bool: self = .bool
        case .float: self = .float
        case .double: self = .double
        case .string: self = .string
        case .binary: self = .binary
        case .timestamp: self = .timestamp
        case .objectID: self = .objectID
        case .decimal: self = .decimal
        case .uuid: self = .uuid
        case .link: self = .link(target)
        case .mixed, .typedLink, .backlink: self = .mixed
        }
    }

    /// Returns the operand type of a constant.
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .link(let link): self = .link(link.table)
        default: self = value.columnType.map { OperandType($0, target: .none) } ?? .mixed
        }
    }

    /// The property type that stores values of this type; nil for types that only expressions have.
    var column: ColumnType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .float: .float
        case .double: .double
        case .string: .string
        case .binary: .binary
        case .timestamp: .timestamp
        case .objectID: .objectID
        case .decimal: .decimal
        case .uuid: .uuid
        case .mixed: .mixed
        case .link: .link
        case .typeName, .null: nil
        }
    }

    var isNumeric: Bool { column?.isNumeric ?? false }

    var isLink: Bool {
        if case .link = self { return true }
        return false
    }

    /// Whether an operand of this type is allowed on the right side of a string operator.
    var isText: Bool { self == .string || self == .binary || self == .mixed }

    /// Whether values of the two types may be compared at all.
    func isComparable(with other: OperandType) -> Bool {
        if self == other || self == .mixed || other == .mixed { return true }
        if self == .null || other == .null { return true }
        return isNumeric && other.isNumeric
    }

    /// Name of the type with an article, for use in a sentence.
    var named: String {
        switch self {
        case .int, .objectID: "an \(name)"
        case .null, .typeName: name
        default: "a \(name)"
        }
    }

    /// Name of the type in messages, such as `int`: the same as in schemas (query language 24,
    /// messages).
    var name: String {
        switch self {
        case .link: "link"
        case .typeName: "@type"
        default: column?.name ?? "null"
        }
    }
}

/// A set of value types. `@type` evaluates to such a set, and a type name in a query denotes one
/// (query language 18).
struct TypeMask: OptionSet, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    static let null = TypeMask(rawValue: 1)
    static let int = TypeMask(rawValue: 2)
    static let bool = TypeMask(rawValue: 4)
    static let float = TypeMask(rawValue: 8)
    static let double = TypeMask(rawValue: 0x10)
    static let string = TypeMask(rawValue: 0x20)
    static let binary = TypeMask(rawValue: 0x40)
    static let timestamp = TypeMask(rawValue: 0x80)
    static let decimal = TypeMask(rawValue: 0x100)
    static let objectID = TypeMask(rawValue: 0x200)
    static let uuid = TypeMask(rawValue: 0x400)
    static let link = TypeMask(rawValue: 0x800)
    static let list = TypeMask(rawValue: 0x1000)
    static let dictionary = TypeMask(rawValue: 0x2000)

    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .list, .set: self = .list
        case .dictionary: self = .dictionary
        default: self = TypeMask(OperandType(value))
        }
    }

    /// Makes the set with the one type of a property's values; an empty set for a mixed property.
    init(_ type: OperandType) {
        switch type {
        case .int: self = .int
        case .bool: self = .bool
        case .float: self = .float
        case .double: self = .double
        case .string: self = .string
        case .binary: self = .binary
        case .timestamp: self = .timestamp
        case .decimal: self = .decimal
        case .objectID: self = .objectID
        case .uuid: self = .uuid
        case .link: self = .link
        case .mixed, .typeName, .null: self = []
        }
    }

    /// Types with a given name, compared without case; nil for an unknown name.
    init?(name: [UInt8]) {
        switch String(decoding: name, as: UTF8.self).lowercased() {
        case "null": self = .null
        case "int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char":
            self = .int
        case "bool", "boolean": self = .bool
        case "string": self = .string
        case "float": self = .float
        case "double": self = .double
        case "binary", "data", "bytearray", "byte[]", "bindata": self = .binary
        case "date", "datetimeoffset", "timestamp": self = .timestamp
        case "decimal", "decimal128": self = .decimal
        case "objectid": self = .objectID
        case "uuid", "guid": self = .uuid
        case "link", "objectlink": self = .link
        case "array", "list": self = .list
        case "dictionary", "object": self = .dictionary
        case "collection": self = [.list, .dictionary]
        case "numeric": self = [.int, .float, .double, .decimal]
        default: return nil
        }
    }
}
