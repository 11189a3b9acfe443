/// Removal of elements, and of nodes that become empty or small.
extension SequenceEditor {
    func remove(at index: Int) throws(RealmError) {
        precondition(index >= 0 && index < count)
        let leafPosition = try makePathWritable(index, isInsert: false)
        try expandPath()
        try column.remove(leafPosition.slot, at: leafPosition.index)
        try addToSizes(-1, levels: path.count)
        count -= 1
        cachedPath?.rows -= 1
        if leafPosition.rows - 1 < context.fanout.tree / 2, !path.isEmpty {
            try tidy(leafPosition.rows - 1)
        }
    }

    /// Removes empty nodes on the path to a leaf that has `rows` elements left. Merges small nodes
    /// with their right neighbours.
    private func tidy(_ rows: Int) throws(RealmError) {
        var entries = rows
        for level in (0..<path.count).reversed() {
            let (node, child) = (path[level].node, path[level].child)
            if entries < context.fanout.tree / 2 || rows == 0 {
                let sizes = try Entries(context, node.view)
                if sizes.size(child) == 0, children(node) > 1 {
                    cachedPath = nil
                    for below in path.steps[(level + 1)...] { try freeOffsets(below.node) }
                    try removeChild(node, child)
                } else if child + 1 < children(node) {
                    try mergeIfSmall(node, child, entries, sizes)
                }
            }
            entries = children(node)
        }
        try collapseRoot()
    }

    private func freeOffsets(_ node: SlabNode) throws(RealmError) {
        if let offsets = NodeSlot(raw: node.slots[TreeShape.offsets]).child {
            try nodes.free(offsets)
        }
    }

    /// Removes a child whose subtree contains no elements.
    private func removeChild(_ node: SlabNode, _ child: Int) throws(RealmError) {
        try nodes.removeInteger(node.slots, min(child, children(node) - 2))
        node.close(1 + child)
    }

    /// Merges a child with its right neighbour if together they are smaller than three quarters of
    /// the maximum.
    private func mergeIfSmall(
        _ node: SlabNode, _ child: Int, _ entries: Int, _ sizes: Entries
    ) throws(RealmError) {
        let left = node.slots + TreeShape.child(child)
        let right = left + 1
        let view = try nodes.space.node(Ref(right.pointee))
        let limit = context.fanout.tree * 3 / 4
        if view.isInner {
            guard entries + TreeShape.childCount(view.count) < limit,
                let leftNode = try inner(left, count: sizes.size(child)),
                let rightNode = try inner(right, count: sizes.size(child + 1))
            else { return }
            cachedPath = nil
            try mergeInner(left, leftNode, rightNode)
        } else {
            guard entries + sizes.size(child + 1) < limit else { return }
            cachedPath = nil
            try column.open(left, rows: entries)
            try column.open(right, rows: sizes.size(child + 1))
            try column.join(left, right)
        }
        try nodes.removeInteger(node.slots, child)
        node.close(2 + child)
    }

    private func mergeInner(
        _ slot: RefSlot, _ left: SlabNode, _ right: SlabNode
    ) throws(RealmError) {
        let (a, b) = (try Entries(context, left.view), try Entries(context, right.view))
        var ends: [UInt64] = (0..<a.count).map { UInt64(a.end($0)) }
        for i in 0..<b.count - 1 { ends.append(UInt64(a.total + b.end(i))) }
        let node = try nodes.ensureCapacity(slot, for: TreeShape.count(a.count + b.count))
        node.resize(TreeShape.count(a.count + b.count))
        for i in 0..<b.count {
            node.slots[TreeShape.child(a.count + i)] = right.slots[TreeShape.child(i)]
        }
        setTotal(node, a.total + b.total)
        try freeOffsets(left)
        try freeOffsets(right)
        node.slots[TreeShape.offsets] = try context.encoder.unsigned(ends).raw
    }

    private func collapseRoot() throws(RealmError) {
        while true {
            let root = try nodes.space.node(Ref(rootSlot.pointee))
            guard root.isInner, root.count == 3 else { return }
            cachedPath = nil
            // Earlier commits may have left several inner nodes with one child in sequence, so the
            // loop examines the new root too.
            guard let node = try inner(rootSlot, count: count) else { return }
            try freeOffsets(node)
            rootSlot.pointee = node.slots[TreeShape.firstChild]
        }
    }
}
