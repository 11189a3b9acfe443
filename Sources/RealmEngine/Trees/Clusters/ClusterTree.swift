/// Leaf of a cluster tree: up to 256 objects, with a list of keys and one leaf per column (object
/// format 2.1).
struct ClusterLeaf {
    /// Space in which columns are opened. For leaves of a `LeafDirectory`, it is the space of the
    /// current reader.
    var space: NodeSpace
    let ref: Ref
    let node: NodeView
    /// Keys relative to `base`; unused in compact form, in which the keys have no gaps.
    private let keys: NodeView
    private let isCompact: Bool
    let count: Int
    /// Sum of the child offsets on the path to this leaf; a key is the sum of `base` and the stored
    /// key.
    let base: UInt64
    /// Index of the leaf in its `LeafDirectory`; negative for a leaf that is in no directory.
    var place = -1

    init(_ space: NodeSpace, _ ref: Ref, node: NodeView, base: UInt64) throws(RealmError) {
        guard node.hasRefs, node.widthType == 0, node.count >= ClusterLeafShape.minimumCount else {
            throw space.wrongShape(ref, "cluster leaf")
        }
        let first = node.slot(ClusterLeafShape.keys)
        isCompact = first.isTagged
        if first.isTagged {
            guard first.value <= UInt64(ClusterLeafShape.maximumObjectCount) else {
                throw .corrupt("a cluster leaf of \(first.value) objects", at: ref)
            }
            keys = node
            count = Int(first.value)
        } else {
            keys = try space.integers(first.ref, "object keys")
            guard keys.count <= ClusterLeafShape.maximumObjectCount else {
                throw .corrupt("the key array of a cluster leaf is malformed", at: first.ref)
            }
            count = keys.count
        }
        self.space = space
        self.ref = ref
        self.node = node
        self.base = base
    }

    /// Key of the object in `row`, which must be below `count`.
    @inline(__always)
    func key(_ row: Int) -> ObjectKey {
        ObjectKey(
            Int64(bitPattern: base &+ (isCompact ? UInt64(row) : keys.unsigned(row))))
    }

    /// Whether the keys of all rows are certainly consecutive.
    @inline(__always) var hasConsecutiveKeys: Bool { isCompact }

    /// Writes the keys of the selected rows, in order, and returns their number.
    @inline(__always)
    func write(_ rows: Selection, to keys: UnsafeMutablePointer<ObjectKey>) -> Int {
        var count = 0
        for i in 0..<4 {
            var rest = rows[i]
            if rest == .max, isCompact {
                let first = Int64(bitPattern: base) &+ Int64(i &* 64)
                for row in 0..<64 { keys[count &+ row] = ObjectKey(first &+ Int64(row)) }
                count &+= 64
                continue
            }
            while rest != 0 {
                keys[count] = key(i &* 64 &+ rest.trailingZeroBitCount)
                count &+= 1
                rest &= rest &- 1
            }
        }
        return count
    }

    /// Row of the object with `key`; nil if the leaf does not contain it.
    func row(of key: ObjectKey) -> Int? {
        let wanted = UInt64(bitPattern: key.raw) &- base
        if isCompact { return wanted < UInt64(count) ? Int(wanted) : nil }
        guard count > 0, keys.unsigned(count - 1) >= wanted else { return nil }
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if keys.unsigned(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        return keys.unsigned(low) == wanted ? low : nil
    }

    /// Throws `corrupt` unless the keys ascend. Keys in compact form always do.
    func checkOrder() throws(RealmError) {
        guard !isCompact, count > 1 else { return }
        var previous = keys.unsigned(0)
        for row in 1..<count {
            let key = keys.unsigned(row)
            guard key > previous else {
                throw .corrupt("object keys do not ascend in a cluster leaf", at: ref)
            }
            previous = key
        }
    }

    /// Throws `corrupt` if a key is negative, as in tombstones. The keys must be in ascending
    /// order.
    func checkLive() throws(RealmError) {
        guard count == 0 || key(count - 1).raw >= 0 else {
            throw .corrupt("a live object with the negative key \(key(count - 1).raw)", at: ref)
        }
    }

    /// Ref of the column leaf at position `leafIndex` of this cluster leaf.
    @inline(__always)
    func columnRef(_ leafIndex: Int) throws(RealmError) -> Ref {
        let slot = ClusterLeafShape.column(leafIndex)
        guard slot < node.count, let ref = node.slot(slot).child else {
            throw .corrupt("a cluster leaf without column \(leafIndex)", at: ref)
        }
        return ref
    }

    /// Prefetches the first 256 bytes of the column at `leafIndex`, if there is one.
    @inline(__always)
    func prefetch(_ leafIndex: Int) {
        let slot = ClusterLeafShape.column(leafIndex)
        guard slot < node.count else { return }
        let ref = node.slot(slot).ref
        // Prefetching an invalid address does nothing.
        Prefetch.bytes(space.base.advanced(by: Int(truncatingIfNeeded: ref.raw)), 256)
    }

    /// Opens the column described by `layout`.
    func column(_ leafIndex: Int, _ layout: LeafLayout) throws(RealmError) -> ColumnLeaf {
        try ColumnLeaf(space, try columnRef(leafIndex), layout, rows: count)
    }
}

/// A B+tree of objects by key; keys are compared as unsigned numbers. Each node stores keys
/// relative to the first key of its subtree (object format section 2).
struct ClusterTree {
    let space: NodeSpace
    let root: Ref

    static let maximumDepth = 16

    /// Number of objects in the tree, read from its root.
    func count() throws(RealmError) -> Int {
        if root.isNone { return 0 }
        let node = try space.node(root)
        return try Self.count(space, node, root)
    }

    static func count(
        _ space: NodeSpace, _ node: NodeView, _ ref: Ref
    ) throws(RealmError) -> Int {
        if node.isInner { return try InnerCluster(space, ref, node: node, base: 0).count }
        return try ClusterLeaf(space, ref, node: node, base: 0).count
    }

    /// Returns the leaf and row of the object with `key`; nil if there is none.
    func find(_ key: ObjectKey) throws(RealmError) -> (leaf: ClusterLeaf, row: Int)? {
        if root.isNone { return nil }
        var ref = root
        var base: UInt64 = 0
        for _ in 0..<Self.maximumDepth {
            let node = try space.node(ref)
            guard node.isInner else {
                let leaf = try ClusterLeaf(space, ref, node: node, base: base)
                guard let row = leaf.row(of: key) else { return nil }
                return (leaf, row)
            }
            let inner = try InnerCluster(space, ref, node: node, base: base)
            let child = inner.child(covering: UInt64(bitPattern: key.raw) &- base)
            base &+= inner.offset(child)
            ref = try inner.ref(child)
        }
        throw .corrupt("a cluster tree deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// Returns a cursor over the leaves in ascending key order, from the leaf that contains the
    /// object at index `skipping` on.
    func leaves(skipping position: Int = 0) -> LeafCursor { LeafCursor(self, skipping: position) }
}

/// Inner node of a cluster tree: its children and their key offsets (object format 2.2).
struct InnerCluster {
    let space: NodeSpace
    let ref: Ref
    let node: NodeView
    private let offsets: NodeView
    private let isCompact: Bool
    let base: UInt64
    let depth: Int
    /// In compact form, the keys of child `i` begin at `i << shift`, relative to `base`.
    private let shift: UInt64
    /// Number of objects in the subtree of this inner node.
    let count: Int

    init(_ space: NodeSpace, _ ref: Ref, node: NodeView, base: UInt64) throws(RealmError) {
        guard node.hasRefs, node.widthType == 0, node.count >= InnerClusterShape.minimumCount else {
            throw space.wrongShape(ref, "inner cluster node")
        }
        let list = node.slot(InnerClusterShape.offsets)
        let levels = node.slot(InnerClusterShape.depth)
        let objects = node.slot(InnerClusterShape.objects)
        guard levels.isTagged, levels.value >= 1,
            levels.value <= UInt64(ClusterTree.maximumDepth),
            objects.isTagged, objects.value <= UInt64(space.maximumObjects)
        else { throw space.wrongShape(ref, "inner cluster node") }
        isCompact = list.isNone
        offsets = isCompact ? node : try space.integers(list.ref, "child offsets")
        guard isCompact || offsets.count == InnerClusterShape.childCount(node.count) else {
            throw .corrupt("an inner cluster node whose offsets do not match", at: ref)
        }
        self.space = space
        self.ref = ref
        self.node = node
        self.base = base
        depth = Int(levels.value)
        shift = levels.value &* space.state.pointee.keyShift
        count = Int(objects.value)
    }

    @inline(__always) var childCount: Int { InnerClusterShape.childCount(node.count) }

    /// Whether the node stores no key offsets for its children. The offset of a child is then
    /// computed from its index.
    var hasNoOffsets: Bool { isCompact }

    @inline(__always)
    func offset(_ child: Int) -> UInt64 {
        if !isCompact { return offsets.unsigned(child) }
        return shift > 63 ? 0 : UInt64(child) &<< shift
    }

    @inline(__always)
    func ref(_ child: Int) throws(RealmError) -> Ref {
        guard let child = node.slot(InnerClusterShape.child(child)).child else {
            throw .corrupt("an inner cluster node without a child", at: ref)
        }
        return child
    }

    /// Prefetches the beginning of a child, if there is one.
    @inline(__always)
    func prefetch(_ child: Int) {
        guard child < childCount else { return }
        let ref = node.slot(InnerClusterShape.child(child)).ref
        // Prefetching an invalid address has no effect.
        Prefetch.bytes(space.base.advanced(by: Int(truncatingIfNeeded: ref.raw)), 128)
    }

    /// Returns the index of the child whose key range contains `key`. `key` is relative to the base
    /// of this node.
    func child(covering key: UInt64) -> Int {
        if isCompact {
            return shift > 63 ? 0 : Int(min(key &>> shift, UInt64(childCount - 1)))
        }
        var low = 0
        var high = childCount
        while low < high {
            let middle = (low + high) >> 1
            if offsets.unsigned(middle) <= key { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}
