/// Types of columns in formats 2 to 9 (legacy format 3.4).
enum LegacyType: Int {
    case int = 0
    case bool = 1
    case string = 2
    /// A string, stored as an index into the distinct strings of the column.
    case enumerated = 3
    case binary = 4
    /// Each value is a table: a list of primitives (a table with one column) or a subtable.
    case table = 5
    case mixed = 6
    /// A timestamp in seconds, without nanoseconds.
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

    /// Whether elements of a list of primitives may have this type.
    var isPrimitive: Bool {
        switch self {
        case .int, .bool, .string, .binary, .timestamp, .float, .double: true
        default: false
        }
    }
}

/// Attribute bits of a column in formats 2 to 9 (legacy format 3.5). Readers need no other bits.
struct LegacyAttributes: OptionSet {
    let rawValue: Int

    /// The column has a second slot in the columns array, for its search index.
    static let indexed = LegacyAttributes(rawValue: 1)
    static let nullable = LegacyAttributes(rawValue: 16)
}
