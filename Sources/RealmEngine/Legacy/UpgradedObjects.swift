/// The objects of a table that an interrupted upgrade to format 10 has moved to clusters
/// (specification of the legacy formats, 10.2).
///
/// The upgrade moves links in a later step. A column that has not been moved yet still has its old
/// B+tree, with one value for each row that the table had before the upgrade. All other values are
/// in the clusters.
final class UpgradedObjects: Sendable {
    /// Keys of the objects, ascending.
    let keys: [Int64]
    /// Refs of the cluster leaves.
    let leaves: [Ref]
    /// Index of the first object of each leaf, followed by the number of objects.
    let starts: [Int]
    /// For each object, its row in the B+trees that the columns had before the upgrade to clusters.
    /// Nil if the row of each object equals the object's key.
    let oldRows: [Int]?
    /// For each row of the B+trees that the columns had before the upgrade to clusters, the index
    /// of its object in `keys`. Nil if the row of each object equals the object's key.
    private let indexes: [Int]?
    /// Whether the key of each object equals its index, and also its row in the B+trees that the
    /// columns had before the upgrade to clusters.
    let keysAreRows: Bool

    /// Name of the column that contains the row that each object had in the B+trees before the
    /// upgrade to clusters. Engines that made object keys from primary keys added this column
    /// during the upgrade.
    static let rowColumn = "!ROW_INDEX"

    /// Reads the keys of the cluster tree at `root`. Reads no values of properties.
    ///
    /// - Parameter rowIndex: index of the column `rowColumn` in cluster leaves, whose values are
    ///   also read: each is an object's row in the B+trees before the upgrade to clusters. Nil if
    ///   there is no such column.
    init(_ space: NodeSpace, _ root: Ref, rowIndex: Int?) throws(RealmError) {
        var (keys, leaves, starts, rows) = ([Int64](), [Ref](), [0], [Int]())
        var cursor = ClusterTree(space: space, root: root).leaves()
        while let leaf = try cursor.next() {
            guard keys.count + leaf.count <= LegacyLimits.cells(space) else {
                throw space.tooMany(keys.count, root)
            }
            try leaf.checkLive()
            for row in 0..<leaf.count { keys.append(leaf.key(row).raw) }
            if let rowIndex { rows += try Self.rows(space, leaf, rowIndex) }
            leaves.append(leaf.ref)
            starts.append(keys.count)
        }
        (self.keys, self.leaves, self.starts) = (keys, leaves, starts)
        oldRows = rowIndex == nil ? nil : rows
        indexes = rowIndex == nil ? nil : try Self.inverse(rows, root)
        // Keys ascend. If the last of n keys is n - 1, the keys are thus the numbers from 0 to n -
        // 1.
        let isDense = keys.last ?? -1 == Int64(keys.count - 1)
        keysAreRows = isDense && oldRows.map { $0.elementsEqual($0.indices) } ?? true
    }

    private static func rows(
        _ space: NodeSpace, _ leaf: ClusterLeaf, _ rowIndex: Int
    ) throws(RealmError) -> [Int] {
        let ref = try leaf.columnRef(rowIndex)
        let node = try space.integers(ref, "row numbers")
        guard node.count == leaf.count else { throw space.wrongShape(ref, "row numbers") }
        return (0..<node.count).map { Int(node.integer($0)) }
    }

    private static func inverse(_ rows: [Int], _ root: Ref) throws(RealmError) -> [Int] {
        var indexes = [Int](repeating: -1, count: rows.count)
        for (i, row) in rows.enumerated() {
            guard indexes.indices.contains(row), indexes[row] < 0 else {
                throw .corrupt("the old row \(row) of an upgraded object is wrong", at: root)
            }
            indexes[row] = i
        }
        return indexes
    }

    /// Returns the index of the object with `key`; nil if there is none.
    func index(ofKey key: Int64) -> Int? {
        let i = keys.indices.partitionPoint { keys[$0] >= key }
        return i < keys.count && keys[i] == key ? i : nil
    }

    /// Returns the index of the object whose row was `row` in the B+trees that the columns had
    /// before the upgrade to clusters; nil if there is none.
    func index(ofRow row: Int) -> Int? {
        guard let indexes else { return index(ofKey: Int64(row)) }
        return indexes.indices.contains(row) ? indexes[row] : nil
    }
}

extension LegacyTable {
    /// Whether the key of each object equals its index, and also its row in the B+trees that the
    /// columns had before an upgrade to clusters. True if no upgrade to format 10 has begun.
    var keysAreRows: Bool { objects?.keysAreRows ?? true }

    /// Smallest key that is greater than the keys of all objects.
    var nextKey: UInt64 { rows == 0 ? 0 : UInt64(key(rows - 1)) + 1 }

    func key(_ object: Int) -> Int64 { objects?.keys[object] ?? Int64(object) }

    /// Returns the row of an object in the B+trees that the columns had before the upgrade to
    /// clusters.
    ///
    /// - Parameter object: index of the object in this table.
    func row(_ object: Int) -> Int {
        guard let objects else { return object }
        return objects.oldRows?[object] ?? Int(objects.keys[object])
    }

    /// Returns the index of the object to which a link refers. The link contains `row`, the row
    /// that the object had before the upgrade to clusters. `ref` is the node with the link, for
    /// errors.
    func index(ofRow row: Int64, from ref: Ref) throws(RealmError) -> Int {
        if let objects {
            if let index = objects.index(ofRow: Int(row)) { return index }
        } else if row >= 0, row < rows {
            return Int(row)
        }
        throw .corrupt("a link to row \(row) of \(rows)", at: ref)
    }

    /// Returns the index of the object to which a link in a cluster refers. `ref` is the node with
    /// the link, for errors.
    func index(ofKey key: Int64, from ref: Ref) throws(RealmError) -> Int {
        guard let objects else { return try index(ofRow: key, from: ref) }
        guard let index = objects.index(ofKey: key) else {
            throw .corrupt("a link to object \(key), which does not exist", at: ref)
        }
        return index
    }
}
