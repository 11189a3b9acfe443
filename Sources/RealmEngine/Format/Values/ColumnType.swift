/// The types of columns and of mixed values (object format 1.5).
public enum ColumnType: UInt8, Sendable {
    case int = 0
    case bool = 1
    case string = 2
    case binary = 4
    case mixed = 6
    case timestamp = 8
    case float = 9
    case double = 10
    case decimal = 11
    case link = 12
    case backlink = 14
    case objectID = 15
    case typedLink = 16
    case uuid = 17

    /// Makes the type with this number. The number 13 of older formats, for a list of links, is
    /// accepted as 12.
    init?(number: Int) {
        if number == 13 {
            self = .link
        } else {
            guard let raw = UInt8(exactly: number), let type = ColumnType(rawValue: raw) else {
                return nil
            }
            self = type
        }
    }
}

/// Properties of types that several parts of the engine and of the tools use. Code that does
/// something different for each type has a switch instead.
extension ColumnType {
    /// Name of the type in schemas and in JSON.
    public var name: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .binary: "data"
        case .mixed: "mixed"
        case .timestamp: "date"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal128"
        case .link: "object"
        case .backlink: "linkingObjects"
        case .objectID: "objectId"
        case .typedLink: "typedLink"
        case .uuid: "uuid"
        }
    }

    /// Whether single values of the type may be primary keys (object format 1.2).
    package var mayBePrimaryKey: Bool { Self.primaryKeys.contains(self) }

    /// Whether properties of the type may have a general search index (object format 5.1).
    package var mayBeIndexed: Bool { Self.indexed.contains(self) }

    /// Whether values of the type are numbers, which can be converted to each other.
    package var isNumeric: Bool { Self.numbers.contains(self) }

    /// Whether all values of the type have the same size. Such values reference no other nodes, and
    /// every bit pattern is a value.
    var hasFixedSize: Bool { Self.fixedSizes.contains(self) }

    /// Whether each value of the type can be represented by one 64-bit number, and values are
    /// ordered like these numbers.
    var isOneNumber: Bool { Self.singleNumbers.contains(self) }

    private static let primaryKeys: ColumnTypes = [.int, .string, .objectID, .uuid]
    private static let indexed: ColumnTypes = [
        .int, .bool, .string, .timestamp, .objectID, .uuid, .mixed,
    ]
    private static let numbers: ColumnTypes = [.int, .float, .double, .decimal]
    private static let fixedSizes: ColumnTypes = [
        .int, .bool, .float, .double, .timestamp, .decimal, .objectID, .uuid,
    ]
    private static let singleNumbers: ColumnTypes = [.int, .bool, .float, .double, .link]
}

/// A set of column types; each type is the bit with its number.
struct ColumnTypes: ExpressibleByArrayLiteral, Sendable {
    private let bits: UInt32

    init(arrayLiteral types: ColumnType...) {
        bits = types.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
    }

    func contains(_ type: ColumnType) -> Bool { bits >> UInt32(type.rawValue) & 1 != 0 }
}
