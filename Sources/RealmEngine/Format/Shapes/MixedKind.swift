/// Kind of a mixed value: the lowest five bits of its word, one more than the number of the type. 0 is
/// null (object format 3.13).
enum MixedKind: Int64 {
    case int = 1
    case bool = 2
    case string = 3
    case binary = 5
    case timestamp = 9
    case float = 10
    case double = 11
    case decimal = 12
    /// A link without a table, which no writer stores; read as null.
    case untypedLink = 13
    case objectID = 16
    case link = 17
    case uuid = 18
    case list = 20
    case dictionary = 22

    /// Bits of the kind in a word.
    static let mask: Int64 = 0x1F

    /// Pool of the values; nil for values inside the word. Integers of more than 32 bits are in the
    /// pool of numbers.
    var pool: MixedLeafShape.Pool? {
        switch self {
        case .int, .bool: nil
        case .float, .double, .untypedLink: .numbers
        case .timestamp, .decimal, .link: .pairs
        case .string, .binary, .objectID, .uuid: .bytes
        case .list, .dictionary: .refs
        }
    }
}
