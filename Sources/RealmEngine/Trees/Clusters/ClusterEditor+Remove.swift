/// Removal of objects, and of nodes that become empty or small (object format 2.5).
extension ClusterEditor {
    /// Removes the object with `key`. The caller must free the nodes that its cells reference.
    /// Throws `corrupt` if there is no such object.
    func remove(_ key: ObjectKey) throws(RealmError) {
        try closeRun()
        let raw = UInt64(bitPattern: key.raw)
        let place = try makePathWritable(raw)
        let rows = try rows(place.leaf)
        guard let row = try row(raw &- place.range.base, place.leaf, rows) else {
            throw .corrupt("object \(key.raw) does not exist", in: "cluster")
        }
        for i in used {
            try columns[i]!.open(place.leaf.slots + ClusterLeafShape.column(i), rows: rows)
        }
        for i in used {
            try columns[i]!.remove(place.leaf.slots + ClusterLeafShape.column(i), at: row)
        }
        try removeKey(place.leaf, at: row, rows: rows)
        try addToCounts(-1)
        if rows - 1 < context.fanout.clusterLeaf / 2 { try tidy(rows - 1) }
    }

    /// Removes empty nodes on the path to a leaf that has `rows` objects left. If the leaf and its
    /// right neighbour are small, merges them.
    private func tidy(_ rows: Int) throws(RealmError) {
        var level = path.count - 1
        var left = rows
        while level >= 0 {
            let (node, i) = (path[level].node, path[level].child)
            if left == 0, node.count > InnerClusterShape.minimumCount {
                try dropEmptied(level + 1)
                try removeChild(node, i)
            } else if level == path.count - 1, left > 0, InnerClusterShape.child(i + 1) < node.count
            {
                try mergeIfSmall(node, i, left)
            }
            left = count(node)
            level -= 1
        }
        try collapseRoot()
    }

    /// Frees the lists of keys and offsets in an empty subtree. Each node of the subtree has one
    /// child, and the leaf is empty.
    private func dropEmptied(_ level: Int) throws(RealmError) {
        for step in path.steps[level...] {
            guard step.node.count == InnerClusterShape.minimumCount else {
                throw .corrupt("an empty subtree with unread children", in: "cluster")
            }
            try freeList(step.node)
        }
    }

    /// Frees the list of keys of a removed leaf, or the list of offsets of a removed inner node.
    private func freeList(_ node: SlabNode) throws(RealmError) {
        let slot =
            node.view.isInner ? InnerClusterShape.offsets : ClusterLeafShape.keys
        if let list = NodeSlot(raw: node.slots[slot]).child { try nodes.free(list) }
    }

    private func removeChild(_ node: SlabNode, _ i: Int) throws(RealmError) {
        cachedPath = nil
        let isLast = i == InnerClusterShape.childCount(node.count) - 1
        if !isLast || node.slots[InnerClusterShape.offsets] != 0 {
            try expandOffsets(node)
            try nodes.removeInteger(node.slots, i)
        }
        node.close(InnerClusterShape.child(i))
        guard i == 0, node.count >= InnerClusterShape.minimumCount,
            node.slots[InnerClusterShape.offsets] != 0
        else {
            return
        }
        let first = try inner(node).offset(0)
        if first == 0 { return }
        try nodes.setInteger(node.slots, 0, 0, .none)
        try rebase(node.slots + InnerClusterShape.firstChild, below: node, by: first)
    }

    /// Compensates for a subtree's key offset that became smaller by `delta`: adds `delta` to the
    /// keys of the leftmost leaf and to the offsets of the other children.
    private func rebase(
        _ slot: RefSlot, below parent: SlabNode, by delta: UInt64
    ) throws(RealmError) {
        let node = try makeWritable(slot, below: parent)
        guard node.view.isInner else {
            try expandKeys(node, try rows(node))
            return try nodes.addToIntegers(node.slots, from: 0, Int64(bitPattern: delta), .none)
        }
        try expandOffsets(node)
        try nodes.addToIntegers(node.slots, from: 1, Int64(bitPattern: delta), .none)
        try rebase(node.slots + InnerClusterShape.firstChild, below: node, by: delta)
    }

    /// Merges leaf `i` with its right neighbour if together they have fewer objects than three
    /// quarters of the intended leaf size. This size is smaller if the transaction changes few
    /// objects in each of many leaves.
    private func mergeIfSmall(_ node: SlabNode, _ i: Int, _ rows: Int) throws(RealmError) {
        let other = try objects(Ref(node.slots[InnerClusterShape.child(i + 1)]))
        let size = keepsSmallLeaves ? context.fanout.scatteredLeaf : context.fanout.clusterLeaf
        guard rows + other < size * 3 / 4 else { return }
        let inner = try inner(node)
        let delta = inner.offset(i + 1) &- inner.offset(i)
        let left = try makeWritable(node.slots + InnerClusterShape.child(i), below: node)
        let right = try makeWritable(node.slots + InnerClusterShape.child(i + 1), below: node)
        for c in used {
            let slot = ClusterLeafShape.column(c)
            try columns[c]!.open(left.slots + slot, rows: rows)
            try columns[c]!.open(right.slots + slot, rows: other)
        }
        for c in used {
            let slot = ClusterLeafShape.column(c)
            try columns[c]!.join(left.slots + slot, right.slots + slot)
        }
        var keys: [UInt64] = []
        for row in 0..<rows { keys.append(try key(row, left)) }
        for row in 0..<other { keys.append(try key(row, right) &+ delta) }
        for node in [left, right] { try freeList(node) }
        left.slots[ClusterLeafShape.keys] = try keySlot(keys)
        try removeChild(node, i + 1)
    }

    private func collapseRoot() throws(RealmError) {
        while true {
            let root = try nodes.space.node(Ref(rootSlot.pointee))
            guard root.isInner, root.count == InnerClusterShape.minimumCount else { return }
            // Earlier commits may have left several inner nodes with one child in sequence, so the
            // loop examines the new root too.
            let node = try makeWritable(rootSlot, below: nil)
            try freeList(node)
            rootSlot.pointee = node.slots[InnerClusterShape.firstChild]
            cachedPath = nil
        }
    }
}
