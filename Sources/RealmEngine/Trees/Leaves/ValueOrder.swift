/// Total order of values of any type. Sets of mixed values, their indexes, sorting, minimum and
/// maximum use it (object format 8.2). Elements in files are stored in this order, so it must never
/// change.
///
/// Typed sets use the same order, with two exceptions (object format 8.1): sets of floats and
/// doubles use IEEE `<`, and null in a set of decimals is sorted among the NaNs, as in
/// `Decimal128.compare`.
package enum ValueOrder {
    /// Returns a negative number if `a` is before `b`, a positive number if it is after `b`, and
    /// zero if they are equal. Int 1, Double 1.0 and Decimal 1.00 are equal; a string and a binary
    /// never are. All lists compare as equal, and so do all dictionaries.
    package static func compare(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.int(let x), .int(let y)): order(x, y)
        case (.bool(let x), .bool(let y)): (x ? 1 : 0) - (y ? 1 : 0)
        case (.string(let x), .string(let y)): ByteView.compare(x, y)
        case (.binary(let x), .binary(let y)): ByteView.compare(x, y)
        case (.timestamp(let x), .timestamp(let y)): compare(x, y)
        case (.objectID(let x), .objectID(let y)): compare(x, y)
        case (.uuid(let x), .uuid(let y)): compare(x, y)
        case (.link(let x), .link(let y)): compare(x, y)
        default: compareRanks(a, b)
        }
    }

    @inline(__always)
    package static func areEqual(_ a: Value, _ b: Value) -> Bool { compare(a, b) == 0 }

    /// Returns the rank of a value's type in the order. Values of a lower rank come first: a bool
    /// (rank 0) is before every string (rank 2). The four number types share a rank.
    static func rank(_ value: Value) -> Int {
        switch value {
        case .null: -1
        case .bool: 0
        case .int, .float, .double, .decimal: numberRank
        case .string: 2
        case .binary: 3
        case .timestamp: 4
        case .objectID: 5
        case .uuid: 6
        case .link: 7
        case .list: 9
        case .set: 10
        case .dictionary: 11
        }
    }

    private static let numberRank = 1

    private static func compareRanks(_ a: Value, _ b: Value) -> Int {
        let (left, right) = (rank(a), rank(b))
        if left == right && left == numberRank { return compareNumbers(a, b) }
        return left - right
    }

    package static func compare(_ a: Timestamp, _ b: Timestamp) -> Int {
        a.seconds != b.seconds
            ? order(a.seconds, b.seconds) : order(a.nanoseconds, b.nanoseconds)
    }

    package static func compare(_ a: ObjectID, _ b: ObjectID) -> Int {
        a.high != b.high ? order(a.high, b.high) : order(a.low, b.low)
    }

    package static func compare(_ a: UUIDValue, _ b: UUIDValue) -> Int {
        a.high != b.high ? order(a.high, b.high) : order(a.low, b.low)
    }

    package static func compare(_ a: ObjectLink, _ b: ObjectLink) -> Int {
        a.table != b.table ? order(a.table.raw, b.table.raw) : order(a.key.raw, b.key.raw)
    }

    @inline(__always)
    static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
}
