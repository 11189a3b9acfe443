/// Where an object is in the version an instance shows: the leaf it lies in, and its row there.
///
/// Holds while the instance's generation is the one it was found in.
@usableFromInline package struct ObjectPlace {
    /// Positive: an open write transaction, whose nodes move, has 0, and what is nowhere less.
    @usableFromInline var generation = -1
    /// Payload of the cluster leaf; nil when there is no such object.
    @usableFromInline var leaf: UnsafeRawPointer?
    /// In 32 bits, since accessors that are kept should be small.
    @usableFromInline var shortRow: UInt32 = 0
    /// Objects in the leaf.
    @usableFromInline var rows: UInt32 = 0

    @inline(__always)
    var row: Int {
        get { Int(shortRow) }
        set { shortRow = UInt32(truncatingIfNeeded: newValue) }
    }

    /// Nowhere, which no version agrees with.
    @inlinable @inline(__always) package init() {}

    init(_ found: (leaf: ClusterLeaf, row: Int)?, generation: Int) {
        self.generation = generation
        guard let found else { return }
        leaf = found.leaf.node.payload
        row = found.row
        rows = UInt32(found.leaf.count)
    }

    /// In `row` of `leaf`, which is below its count.
    @inline(__always)
    init(_ leaf: ClusterLeaf, _ row: Int, generation: Int) {
        self.generation = generation
        self.leaf = leaf.node.payload
        self.row = row
        rows = UInt32(truncatingIfNeeded: leaf.count)
    }

    @inline(__always) package var isThere: Bool { leaf != nil }

    @inline(__always) private var node: NodeView? { leaf.map { NodeView(checked: $0) } }

    /// Ref of the column leaf of `leafIndex`; nil when there is no object, none for a column that the
    /// leaf does not have.
    @inline(__always)
    func columnRef(_ leafIndex: Int) -> Ref? {
        guard let leaf else { return nil }
        let node = NodeView(checked: leaf)
        guard leafIndex &+ 1 < node.count else { return Ref.none }
        return node.slot(leafIndex &+ 1).child ?? Ref.none
    }

    /// The place of `other` when that lies in the same leaf as the object with `key`, whose place this
    /// is; nil when that is not known without looking for it.
    func place(of other: ObjectKey, from key: ObjectKey, _ space: NodeSpace) -> ObjectPlace? {
        guard let node else { return nil }
        let distance = UInt64(bitPattern: other.raw) &- UInt64(bitPattern: key.raw)
        let keys = node.slot(0)
        var found = self
        if keys.isTagged {
            let place = row &+ Int(truncatingIfNeeded: distance)
            found.row = place
            return place >= 0 && place < rows ? found : nil
        }
        guard let list = try? space.integers(keys.ref, "object keys"), row < list.count else {
            return nil
        }
        // Keys ascend: the next one is nearly always the one that is asked for.
        let wanted = list.unsigned(row) &+ distance
        let limit = min(list.count, Int(rows))
        found.row = (0..<limit).partitionPoint { list.unsigned($0) >= wanted }
        return found.row < limit && list.unsigned(found.row) == wanted ? found : nil
    }
}
