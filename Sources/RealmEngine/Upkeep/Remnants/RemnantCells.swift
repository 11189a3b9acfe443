/// The columns of one cluster leaf, each opened when it is first read. Confined to one thread.
final class RemnantCells {
    let leaf: ClusterLeaf
    let info: TableInfo
    /// Refs of the column leaves.
    let refs: [Ref]
    // Read for each value.
    @exclusivity(unchecked) private var opened: [Opened]

    private enum Opened {
        case not
        case unreadable
        case column(ColumnLeaf)
    }

    init(_ leaf: ClusterLeaf, _ info: TableInfo) {
        (self.leaf, self.info) = (leaf, info)
        refs = info.columns.map { (try? leaf.columnRef($0.leafIndex)) ?? .none }
        opened = Array(repeating: .not, count: refs.count)
    }

    /// Returns the column at index `i`. Nil if it cannot be read or does not have one value per
    /// object.
    func column(_ i: Int) -> ColumnLeaf? {
        switch opened[i] {
        case .column(let column): return column
        case .unreadable: return nil
        case .not:
            let column = info.columns[i]
            guard let found = try? leaf.column(column.leafIndex, column.layout) else {
                opened[i] = .unreadable
                return nil
            }
            opened[i] = .column(found)
            return found
        }
    }

    /// Returns the value of a row in a column. Nil if it cannot be read or references a class that
    /// `schema` does not have.
    @inline(__always)
    func value(_ column: Int, _ row: Int, _ schema: Schema) -> Value? {
        guard let leaf = self.column(column), let value = try? leaf.value(row),
            value.isReadable(schema)
        else { return nil }
        return value
    }
}

/// Compares values of objects in two leaves.
enum RemnantValues {
    /// Whether two single values are equal; nil for types that must be compared by digests.
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

    /// Whether two values are equal. Links are equal if they have the same table and object key.
    static func areSame(
        _ a: Value, _ b: Value, _ digest: ContentDigest, _ other: ContentDigest
    ) throws(RealmError) -> Bool {
        if let known = areSame(a, b) { return known }
        return try digest.digest(of: a) == other.digest(of: b)
    }
}

extension Value {
    /// Whether the schema has the class to which the value links. True for values that are not
    /// links.
    func isReadable(_ schema: Schema) -> Bool {
        switch self {
        case .link(let link): schema.table(link.table) != nil
        case .list(let view), .set(let view), .dictionary(let view):
            view.element.type != .link || schema.table(view.element.target) != nil
        default: true
        }
    }
}
