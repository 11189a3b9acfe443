/// Kind of a mixed value: the number of its type plus one. Stored in the lowest five bits of the
/// 64-bit integer (word) that a leaf has for each value. 0 means null (object format 3.13).
enum MixedKind: Int64 {
    case int = 1
    case bool = 2
    case string = 3
    case binary = 5
    case timestamp = 9
    case float = 10
    case double = 11
    case decimal = 12
    /// A link without a table. No writer stores it; it is read as null.
    case untypedLink = 13
    case objectID = 16
    case link = 17
    case uuid = 18
    case list = 20
    case dictionary = 22

    /// Mask of the bits that contain the `MixedKind` in the 64-bit integer of a mixed value.
    static let mask: Int64 = 0x1F

    /// Pool that contains the values of this kind; nil if the 64-bit integer of the mixed value
    /// contains the value itself. Integers of more than 32 bits are in the pool of numbers.
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
