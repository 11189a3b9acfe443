/// The columns of one cluster leaf, those that can be read.
struct RemnantCells {
    let leaf: ClusterLeaf
    let columns: [ColumnLeaf?]

    init(_ leaf: ClusterLeaf, _ info: TableInfo) {
        self.leaf = leaf
        columns = info.columns.map { try? leaf.column($0.leafIndex, $0.layout) }
    }
}

/// Compares values of objects in two leaves.
enum RemnantValues {
    /// Whether two scalars are the same; nil for values that have to be digested.
    static func areSame(_ a: Value, _ b: Value) -> Bool? {
        switch (a, b) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)): a == b
        case (.timestamp(let a), .timestamp(let b)):
            a.seconds == b.seconds && a.nanoseconds == b.nanoseconds
        case (.objectID(let a), .objectID(let b)): a.high == b.high && a.low == b.low
        case (.uuid(let a), .uuid(let b)): a.high == b.high && a.low == b.low
        default: nil
        }
    }

    /// Whether two values say the same. Links are the same with the same object keys.
    static func areSame(
        _ a: Value, _ b: Value, _ digest: ContentDigest, _ other: ContentDigest
    ) throws(RealmError) -> Bool {
        if let known = areSame(a, b) { return known }
        return try digest.digest(of: a) == other.digest(of: b)
    }
}
