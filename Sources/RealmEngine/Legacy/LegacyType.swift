/// Types of columns in formats 2 to 9 (legacy format 3.4).
enum LegacyType: Int {
    case int = 0
    case bool = 1
    case string = 2
    /// Indexes into the column's distinct strings.
    case enumerated = 3
    case binary = 4
    /// A list of primitives, or a table in every cell.
    case table = 5
    case mixed = 6
    /// A timestamp in whole seconds.
    case date = 7
    case timestamp = 8
    case float = 9
    case double = 10
    case link = 12
    case linkList = 13
    case backlink = 14

    /// The corresponding type of the current format; nil for tables and backlinks.
    var today: ColumnType? {
        switch self {
        case .enumerated: .string
        case .date: .timestamp
        case .table, .backlink: nil
        default: ColumnType(number: rawValue)
        }
    }

    /// Whether a list of primitives can have elements of this type.
    var isPrimitive: Bool {
        switch self {
        case .int, .bool, .string, .binary, .timestamp, .float, .double: true
        default: false
        }
    }
}

/// Attribute bits of a column in formats 2 to 9 (legacy format 3.5). Other bits do not affect
/// readers.
struct LegacyAttributes: OptionSet {
    let rawValue: Int

    /// The column has a second slot, for its search index.
    static let indexed = LegacyAttributes(rawValue: 1)
    static let nullable = LegacyAttributes(rawValue: 16)
}
