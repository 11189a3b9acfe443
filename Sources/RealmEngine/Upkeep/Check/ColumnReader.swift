/// Reads one column by object key and caches the leaves that it reads. An index lists objects in
/// the order of their values, so each leaf is read many times.
final class ColumnReader {
    private struct Opened {
        let leaf: ClusterLeaf
        let values: ColumnLeaf
    }

    private let space: NodeSpace
    private let root: Ref
    private let info: CheckedColumn
    /// Cache of opened leaves, indexed by the object key without its low byte. Its capacity is a
    /// power of two.
    private let opened: UnsafeMutablePointer<Opened?>
    private let capacity: Int

    private static let maximumCachedLeaves = 4096

    init(_ space: NodeSpace, _ root: Ref, _ info: CheckedColumn) {
        self.space = space
        self.root = root
        self.info = info
        let count = (try? ClusterTree(space: space, root: root).count()) ?? 0
        var capacity = 1
        while capacity < Self.maximumCachedLeaves, capacity * 128 < count { capacity *= 2 }
        self.capacity = capacity
        opened = .allocate(capacity: capacity)
        opened.initialize(repeating: nil, count: capacity)
    }

    deinit { opened.deallocate() }

    /// Returns the value of an object as an index stores it: for an unresolved link, null. Nil if
    /// there is no object with `key`.
    func value(_ key: ObjectKey) throws(RealmError) -> Value? {
        let place = opened + Int(key.raw >> 8) & (capacity - 1)
        if let known = place.pointee, let row = known.leaf.row(of: key) {
            return try known.values.value(row)
        }
        guard let (leaf, row) = try ClusterTree(space: space, root: root).find(key) else {
            return nil
        }
        let values = try leaf.column(info.key.leafIndex, info.layout)
        place.pointee = Opened(leaf: leaf, values: values)
        return try values.value(row)
    }
}
