/// Finds leaves and makes them writable; reads and changes nodes on the path to a leaf.
extension ClusterEditor {
    /// Returns the leaf whose key range contains `key`. Makes all nodes on the path to it writable.
    @inline(__always)
    func makePathWritable(_ key: UInt64) throws(RealmError) -> Reached {
        willChange()
        scatter.touch(key)
        if let cachedPath, cachedPath.range.contains(key) { return cachedPath }
        return try descend(key, toLeaf: true)!
    }

    /// Descends to the leaf whose key range contains `key` and makes the path writable. If `toLeaf`
    /// is false, stops at the leaf's parent and returns nil.
    @discardableResult
    func descend(_ key: UInt64, toLeaf: Bool) throws(RealmError) -> Reached? {
        willChange()
        cachedPath = nil
        path.remove(from: 0)
        var slot = rootSlot
        var range = Range()
        while true {
            let isCopied = nodes.owns(Ref(slot.pointee))
            let node = try makeWritable(slot, below: path.last?.node)
            guard node.view.isInner else {
                guard toLeaf else { return nil }
                if !isCopied { scatter.leaves.append(range.base) }
                cachedPath = Reached(leaf: node, range: range)
                return cachedPath
            }
            let inner = try self.inner(node)
            let i = inner.child(covering: key &- range.base)
            range = inner.range(i, in: range)
            path.append(Step(node: node, child: i))
            if !toLeaf, inner.depth == 1 { return nil }
            slot = node.slots + InnerClusterShape.child(i)
        }
    }

    @inline(__always)
    func inner(_ node: SlabNode) throws(RealmError) -> InnerCluster {
        try InnerCluster(nodes.space, .none, node: node.view, base: 0)
    }

    /// Returns the node at `slot`. Copies it first if the transaction does not own it, and then
    /// checks the copy.
    @inline(__always)
    func makeWritable(_ slot: RefSlot, below parent: SlabNode?) throws(RealmError) -> SlabNode {
        let ref = Ref(slot.pointee)
        if nodes.owns(ref) { return try nodes.writableRefs(slot) }
        return try copy(slot, below: parent)
    }

    private func copy(_ slot: RefSlot, below parent: SlabNode?) throws(RealmError) -> SlabNode {
        let ref = Ref(slot.pointee)
        let view = try nodes.space.node(ref)
        let depth = try parent.map { (node) throws(RealmError) in try inner(node).depth - 1 }
        guard view.isInner else {
            guard depth ?? 0 == 0 else { throw .corrupt("a cluster tree of uneven depth", at: ref) }
            return try copyLeaf(slot, view)
        }
        let found = try InnerCluster(nodes.space, ref, node: view, base: 0).depth
        guard depth ?? found == found else {
            throw .corrupt("a cluster tree of uneven depth", at: ref)
        }
        return try nodes.copyRefs(slot, extra: 8)
    }

    private func copyLeaf(_ slot: RefSlot, _ view: NodeView) throws(RealmError) -> SlabNode {
        let ref = Ref(slot.pointee)
        try ClusterLeaf(nodes.space, ref, node: view, base: 0).checkOrder()
        for i in used {
            let slot = ClusterLeafShape.column(i)
            guard slot < view.count, view.slot(slot).child != nil else {
                throw .corrupt("a cluster leaf without column \(i)", at: ref)
            }
        }
        let count = ClusterLeafShape.count(columns.count)
        let missing = max(0, count - view.count)
        let leaf = try nodes.copyRefs(slot, extra: missing)
        for i in leaf.count..<leaf.count + missing { leaf.slots[i] = 0 }
        leaf.resize(count)
        for i in columns.indices where columns[i] == nil {
            leaf.slots[ClusterLeafShape.column(i)] = 0
        }
        return leaf
    }

    /// Makes a cluster leaf without objects.
    func newLeaf() throws(RealmError) -> (ref: Ref, node: SlabNode) {
        let leaf = try nodes.newRefs(ClusterLeafShape.count(columns.count))
        leaf.node.slots[ClusterLeafShape.keys] = NodeEncoder.tag(0)
        for i in used {
            leaf.node.slots[ClusterLeafShape.column(i)] = try columns[i]!.makeEmpty().raw
        }
        return leaf
    }

    // MARK: Keys

    /// Number of objects in a leaf.
    @inline(__always)
    func rows(_ leaf: SlabNode) throws(RealmError) -> Int {
        let keys = NodeSlot(raw: leaf.slots[ClusterLeafShape.keys])
        return keys.isTagged
            ? Int(truncatingIfNeeded: keys.value) : try nodes.integers(keys.ref, Self.keys).count
    }

    private static let keys: StaticString = "object keys"

    /// Row of a key; nil if the leaf does not contain it.
    @inline(__always)
    func row(_ key: UInt64, _ leaf: SlabNode, _ rows: Int) throws(RealmError) -> Int? {
        if NodeSlot(raw: leaf.slots[ClusterLeafShape.keys]).isTagged {
            return key < UInt64(rows) ? Int(key) : nil
        }
        let row = try lowerBound(key, leaf, rows)
        guard row < rows, try self.key(row, leaf) == key else { return nil }
        return row
    }

    /// First row whose key is not less than `key`.
    @inline(__always)
    func lowerBound(_ key: UInt64, _ leaf: SlabNode, _ rows: Int) throws(RealmError) -> Int {
        let slot = NodeSlot(raw: leaf.slots[ClusterLeafShape.keys])
        if slot.isTagged { return Int(min(key, UInt64(rows))) }
        let keys = try nodes.integers(slot.ref, Self.keys)
        // Fast path for the same object as last time, or the object after a removed one.
        if lastRow < rows, keys.unsigned(lastRow) == key { return lastRow }
        // Fast path for an append.
        if rows > 0, keys.unsigned(rows - 1) < key { return rows }
        lastRow = (0..<rows).partitionPoint { keys.unsigned($0) >= key }
        return lastRow
    }

    @inline(__always)
    func key(_ row: Int, _ leaf: SlabNode) throws(RealmError) -> UInt64 {
        let slot = NodeSlot(raw: leaf.slots[ClusterLeafShape.keys])
        return slot.isTagged
            ? UInt64(row) : try nodes.integers(slot.ref, Self.keys).unsigned(row)
    }

    /// Encodes the keys of a leaf. Keys without gaps are stored as their count, others as a list.
    func keySlot(_ keys: [UInt64]) throws(RealmError) -> UInt64 {
        let isCompact = keys.isEmpty || keys.last == UInt64(keys.count - 1)
        return isCompact ? NodeEncoder.tag(keys.count) : try context.encoder.unsigned(keys).raw
    }

    func insertKey(
        _ key: UInt64, _ leaf: SlabNode, at row: Int, rows: Int
    ) throws(RealmError) {
        if NodeSlot(raw: leaf.slots[ClusterLeafShape.keys]).isTagged {
            if row == rows, key == UInt64(rows) {
                leaf.slots[ClusterLeafShape.keys] = NodeEncoder.tag(rows + 1)
                return
            }
            try expandKeys(leaf, rows)
        }
        try nodes.insertInteger(leaf.slots, row, Int64(bitPattern: key), .none)
    }

    func removeKey(_ leaf: SlabNode, at row: Int, rows: Int) throws(RealmError) {
        if NodeSlot(raw: leaf.slots[ClusterLeafShape.keys]).isTagged {
            if row == rows - 1 {
                leaf.slots[ClusterLeafShape.keys] = NodeEncoder.tag(rows - 1)
                return
            }
            try expandKeys(leaf, rows)
        }
        try nodes.removeInteger(leaf.slots, row)
        // A cluster leaf whose keys have no gaps stores only their number.
        let left = rows - 1
        if left > 0, try key(left - 1, leaf) != UInt64(left - 1) { return }
        leaf.slots[ClusterLeafShape.keys] = NodeEncoder.tag(left)
    }

    func expandKeys(_ leaf: SlabNode, _ rows: Int) throws(RealmError) {
        guard NodeSlot(raw: leaf.slots[ClusterLeafShape.keys]).isTagged else { return }
        leaf.slots[ClusterLeafShape.keys] = try context.encoder.unsigned(
            (0..<rows).map { UInt64($0) }
        ).raw
    }

    // MARK: Counts

    /// Number of objects below an inner node.
    @inline(__always)
    func count(_ node: SlabNode) -> Int {
        Int(truncatingIfNeeded: node.slots[InnerClusterShape.objects] >> 1)
    }

    func setCount(_ node: SlabNode, _ count: Int) throws(RealmError) {
        guard count >= 0 else { throw .corrupt("fewer objects announced than met", in: "cluster") }
        node.slots[InnerClusterShape.objects] = NodeEncoder.tag(count)
    }

    /// Adds `extra` to the object counts of all inner nodes in `path`, from the root to the leaf's
    /// parent.
    @inline(__always)
    func addToCounts(_ extra: Int) throws(RealmError) {
        for step in path.steps { try setCount(step.node, count(step.node) &+ extra) }
    }

    /// Number of objects below a node.
    func objects(_ ref: Ref) throws(RealmError) -> Int {
        try ClusterTree(space: nodes.space, root: ref).count()
    }

    // MARK: Children

    func expandOffsets(_ node: SlabNode) throws(RealmError) {
        guard node.slots[InnerClusterShape.offsets] == 0 else { return }
        let inner = try inner(node)
        node.slots[InnerClusterShape.offsets] = try context.encoder.unsigned(
            (0..<inner.childCount).map { inner.offset($0) }
        ).raw
    }

    /// Slot that contains the ref of the node at `level` of `path`; level 0 is the root.
    func slot(_ level: Int) -> RefSlot {
        level == 0
            ? rootSlot : path[level - 1].node.slots + InnerClusterShape.child(path[level - 1].child)
    }

    /// Inserts a child with key offset `offset` at index `i` of an inner node.
    func insertChild(
        _ child: Ref, _ offset: UInt64, at i: Int, of slot: RefSlot
    ) throws(RealmError) -> SlabNode {
        var node = try nodes.writableRefs(slot)
        let (count, depth) = (InnerClusterShape.childCount(node.count), try inner(node).depth)
        let isEven = i == count && depth <= 7 && offset == UInt64(count) << UInt64(8 * depth)
        if node.slots[InnerClusterShape.offsets] != 0 || !isEven {
            try expandOffsets(node)
            try nodes.insertInteger(node.slots, i, Int64(bitPattern: offset), .none)
        }
        node = try nodes.ensureCapacity(slot, for: node.count + 1)
        node.open(InnerClusterShape.child(i))
        node.slots[InnerClusterShape.child(i)] = child.raw
        return node
    }
}
