/// The columns of one cluster leaf, those that can be read.
struct RemnantCells {
    let leaf: ClusterLeaf
    let columns: [ColumnLeaf?]
    /// Nodes of the columns.
    let refs: [Ref]

    /// - Parameter wanted: positions of the columns to open; nil for all.
    init(_ leaf: ClusterLeaf, _ info: TableInfo, only wanted: [Int]? = nil) {
        self.leaf = leaf
        columns = info.columns.enumerated().map { i, column in
            guard wanted?.contains(i) ?? true else { return nil }
            return try? leaf.column(column.leafIndex, column.layout)
        }
        refs = info.columns.map { (try? leaf.columnRef($0.leafIndex)) ?? .none }
    }

    /// The value of a row; nil where it cannot be read, or references a class that `schema` lacks.
    @inline(__always)
    func value(_ column: Int, _ row: Int, _ schema: Schema) -> Value? {
        guard let leaf = columns[column], let value = try? leaf.value(row),
            value.isReadable(schema)
        else { return nil }
        return value
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
        case (.double(let a), .double(let b)):
            a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)): a == b
        case (.timestamp(let a), .timestamp(let b)):
            a.seconds == b.seconds && a.nanoseconds == b.nanoseconds
        case (.objectID(let a), .objectID(let b)): a.high == b.high && a.low == b.low
        case (.uuid(let a), .uuid(let b)): a.high == b.high && a.low == b.low
        case (.link(let a), .link(let b)): a.table == b.table && a.key == b.key
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

extension Value {
    /// Whether the class that a link references is known.
    fileprivate func isReadable(_ schema: Schema) -> Bool {
        switch self {
        case .link(let link): schema.table(link.table) != nil
        case .list(let view), .set(let view), .dictionary(let view):
            view.element.type != .link || schema.table(view.element.target) != nil
        default: true
        }
    }
}
