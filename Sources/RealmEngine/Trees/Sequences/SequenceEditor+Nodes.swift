/// Inner nodes of a B+tree.
extension SequenceEditor {
    /// The children of an inner node, with the range of elements in each of them.
    struct Entries {
        private let node: NodeView
        private let offsets: NodeView
        /// Number of elements of each child except the last, if the node is in compact form: these
        /// children then have the same size, which is stored once. Nil if the node stores the end
        /// of each child.
        let even: Int?
        let count: Int
        /// Number of elements in the subtree of this inner node.
        let total: Int

        init(_ context: EditContext, _ node: NodeView) throws(RealmError) {
            self.node = node
            count = TreeShape.childCount(node.count)
            total = Int(truncatingIfNeeded: node.slot(TreeShape.total(node.count)).value)
            let first = node.slot(TreeShape.offsets)
            even = first.isTagged ? Int(truncatingIfNeeded: min(first.value, 1 << 40)) : nil
            offsets =
                first.isTagged ? node : try context.space.integers(first.ref, "B+tree offsets")
        }

        @inline(__always) func start(_ child: Int) -> Int { child == 0 ? 0 : end(child - 1) }

        @inline(__always)
        func end(_ child: Int) -> Int {
            if child == count - 1 { return total }
            if let even { return even * (child + 1) }
            return Int(truncatingIfNeeded: offsets.unsigned(child))
        }

        func size(_ child: Int) -> Int { end(child) - start(child) }

        func child(holding i: Int) -> Int {
            if let even, even > 0 { return min(count - 1, i / even) }
            return min(count - 1, (0..<count).partitionPoint { end($0) > i })
        }

        /// Returns the child in which to insert an element at index `i`. At a boundary between two
        /// children, returns the left child, or the right one if the left one has at least `full`
        /// elements.
        func child(toInsert i: Int, full: Int) -> Int {
            if i == total { return count - 1 }
            let child = min(count - 1, (0..<count).partitionPoint { end($0) >= i })
            let isFull = i == end(child) && size(child) >= full
            return isFull && child < count - 1 ? child + 1 : child
        }
    }

    /// Returns the node at `slot`, an inner node with `count` elements in its subtree. Copies it
    /// first if the transaction does not own it. Returns nil for a leaf.
    func inner(_ slot: RefSlot, count: Int) throws(RealmError) -> SlabNode? {
        let ref = Ref(slot.pointee)
        if nodes.owns(ref) {
            return nodes.slab.writable(ref).view.isInner ? try nodes.writableRefs(slot) : nil
        }
        let view = try nodes.space.node(ref)
        guard view.isInner else { return nil }
        try check(view, ref, count)
        return try nodes.copyRefs(slot, extra: 8)
    }

    private func check(_ view: NodeView, _ ref: Ref, _ count: Int) throws(RealmError) {
        guard view.hasRefs, view.count >= TreeShape.minimumCount,
            view.slot(TreeShape.total(view.count)).isTagged
        else {
            throw nodes.space.wrongShape(ref, "B+tree inner node")
        }
        guard view.slot(TreeShape.total(view.count)).value == UInt64(count) else {
            throw .corrupt("a B+tree child of another size than announced", at: ref)
        }
        if let offsets = view.slot(TreeShape.offsets).child {
            let ends = try nodes.space.integers(offsets, "B+tree offsets")
            guard ends.count == TreeShape.endCount(view.count)
            else { throw nodes.space.wrongShape(ref, "B+tree inner node") }
        } else if !view.slot(TreeShape.offsets).isTagged {
            throw nodes.space.wrongShape(ref, "B+tree inner node")
        }
        let entries = try Entries(context, view)
        var end = 0
        for i in 0..<entries.count {
            guard view.slot(TreeShape.child(i)).child != nil, entries.end(i) >= end,
                entries.end(i) <= count
            else { throw nodes.space.wrongShape(ref, "B+tree inner node") }
            end = entries.end(i)
        }
    }

    /// Number of children of an inner node.
    @inline(__always)
    func children(_ node: SlabNode) -> Int { TreeShape.childCount(node.count) }

    /// Slot that contains the ref of the node at `level` of `path`; level 0 is the root.
    func slot(_ level: Int) -> RefSlot {
        level == 0 ? rootSlot : path[level - 1].node.slots + TreeShape.child(path[level - 1].child)
    }

    private func total(_ node: SlabNode) -> Int {
        Int(truncatingIfNeeded: NodeSlot(raw: node.slots[TreeShape.total(node.count)]).value)
    }

    func setTotal(_ node: SlabNode, _ total: Int) {
        node.slots[TreeShape.total(node.count)] = NodeEncoder.tag(total)
    }

    // MARK: Sizes

    /// Converts a node from compact form, in which all children but the last have the same size, to
    /// general form, which stores the end of each child.
    func expand(_ node: SlabNode) throws(RealmError) {
        guard NodeSlot(raw: node.slots[TreeShape.offsets]).isTagged else { return }
        let entries = try Entries(context, node.view)
        node.slots[TreeShape.offsets] = try context.encoder.unsigned(
            (0..<entries.count - 1).map { UInt64(entries.end($0)) }
        ).raw
    }

    func expandPath() throws(RealmError) { for step in path.steps { try expand(step.node) } }

    /// Adds `delta` to the element counts in the first `levels` nodes of `path`, which begins at
    /// the root.
    func addToSizes(_ delta: Int, levels: Int) throws(RealmError) {
        for step in path.steps[..<levels] {
            setTotal(step.node, total(step.node) + delta)
            if NodeSlot(raw: step.node.slots[TreeShape.offsets]).isTagged { continue }
            try nodes.addToIntegers(step.node.slots, from: step.child, Int64(delta), .none)
        }
    }

    /// Number of elements that can be appended to the last leaf while all nodes on its path
    /// certainly stay in compact form, in which all children but the last have the same size. At
    /// least 1, because the caller has checked that the next append keeps this form.
    func evenAppends() throws(RealmError) -> Int {
        var count = context.fanout.tree
        for step in path.steps {
            let entries = try Entries(context, step.node.view)
            if let even = entries.even { count = min(count, even - entries.size(step.child)) }
        }
        return max(1, count)
    }

    /// Whether an append leaves the nodes on the path in compact form. In compact form, all
    /// children of a node but the last have the same size.
    func staysEven(rows: Int) throws(RealmError) -> Bool {
        var splits = rows >= context.fanout.tree
        for step in path.steps.reversed() {
            let entries = try Entries(context, step.node.view)
            if let even = entries.even {
                let last = entries.size(step.child)
                guard splits ? last == even : last < even else { return false }
            }
            splits = splits && entries.count >= context.fanout.tree
        }
        return true
    }
}
