/// Cached location of an object: its cluster leaf and row.
///
/// Valid while the instance's generation equals the stored generation.
@usableFromInline package struct ObjectLocation {
    /// Generation of the instance when the object was located. 0 in a write transaction, whose
    /// nodes move; negative if there is no location.
    @usableFromInline var generation = -1
    /// Payload of the cluster leaf; nil if there is no such object.
    @usableFromInline var leaf: UnsafeRawPointer?
    /// Row in the leaf, in 32 bits to keep accessors small.
    @usableFromInline var shortRow: UInt32 = 0
    /// Number of objects in the leaf.
    @usableFromInline var rows: UInt32 = 0

    @inline(__always)
    var row: Int {
        get { Int(shortRow) }
        set { shortRow = UInt32(truncatingIfNeeded: newValue) }
    }

    /// Makes a location that is valid in no version.
    @inlinable @inline(__always) package init() {}

    init(_ found: (leaf: ClusterLeaf, row: Int)?, generation: Int) {
        self.generation = generation
        guard let found else { return }
        leaf = found.leaf.node.payload
        row = found.row
        rows = UInt32(found.leaf.count)
    }

    /// Makes the location at `row` of `leaf`. `row` must be below the leaf's count.
    @inline(__always)
    init(_ leaf: ClusterLeaf, _ row: Int, generation: Int) {
        self.generation = generation
        self.leaf = leaf.node.payload
        self.row = row
        rows = UInt32(truncatingIfNeeded: leaf.count)
    }

    @inline(__always) package var isPresent: Bool { leaf != nil }

    @inline(__always) private var node: NodeView? { leaf.map { NodeView(checked: $0) } }

    /// Returns the ref of the column leaf with `leafIndex`. Nil if there is no object; `Ref.none`
    /// if the cluster leaf does not have the column.
    @inline(__always)
    func columnRef(_ leafIndex: Int) -> Ref? {
        guard let leaf else { return nil }
        let node = NodeView(checked: leaf)
        let slot = ClusterLeafShape.column(leafIndex)
        guard slot < node.count else { return Ref.none }
        return node.slot(slot).child ?? Ref.none
    }

    /// Returns the location of object `other` if it is in the same leaf as object `key`; otherwise
    /// nil. The function must be called on the location of object `key`.
    func place(of other: ObjectKey, from key: ObjectKey, _ space: NodeSpace) -> ObjectLocation? {
        guard let node else { return nil }
        let distance = UInt64(bitPattern: other.raw) &- UInt64(bitPattern: key.raw)
        let keys = node.slot(ClusterLeafShape.keys)
        var found = self
        if keys.isTagged {
            let place = row &+ Int(truncatingIfNeeded: distance)
            found.row = place
            return place >= 0 && place < rows ? found : nil
        }
        guard let list = try? space.integers(keys.ref, "object keys"), row < list.count else {
            return nil
        }
        // Keys ascend, so begin the search at this object's row. Usually the next key is searched.
        let wanted = list.unsigned(row) &+ distance
        let limit = min(list.count, Int(rows))
        found.row = (0..<limit).partitionPoint { list.unsigned($0) >= wanted }
        return found.row < limit && list.unsigned(found.row) == wanted ? found : nil
    }
}
