/// Insertion of elements, and the splits of full nodes.
extension SequenceEditor {
    func insert(_ value: Value, at index: Int) throws(RealmError) {
        precondition(index >= 0 && index <= count)
        note(value)
        let leafPosition = try makePathWritable(index, isInsert: true)
        var isEven = index == count
        if isEven { isEven = try appendStaysEven(rows: leafPosition.rows) }
        if !isEven { try expandPath() }
        if leafPosition.rows < context.fanout.tree {
            try column.insert(value, leafPosition.slot, at: leafPosition.index)
            try addToSizes(1, levels: path.count)
            cachedPath?.rows += 1
        } else {
            cachedPath = nil
            try split(leafPosition, value)
        }
        count += 1
    }

    /// Whether an append keeps the inner nodes on the path in compact form: all children but the
    /// last have the same size, and no sizes are stored. Of several successive appends, only the
    /// first examines the nodes.
    ///
    /// - Parameter rows: number of elements in the leaf at the end of the path.
    private func appendStaysEven(rows: Int) throws(RealmError) -> Bool {
        guard rows < context.fanout.tree, let known = cachedPath?.evenAppends else {
            return try staysEven(rows: rows)
        }
        if known == 0 {
            guard try staysEven(rows: rows) else { return false }
            cachedPath?.evenAppends = try evenAppends()
        }
        cachedPath?.evenAppends -= 1
        return true
    }

    /// Splits a full leaf to insert a value. An appended value begins a new leaf. Otherwise the
    /// elements from the insertion index on move to a new leaf.
    private func split(_ leafPosition: LeafPosition, _ value: Value) throws(RealmError) {
        if leafPosition.index == leafPosition.rows {
            var sibling = try column.makeEmpty().raw
            try withUnsafeMutablePointer(to: &sibling) { (slot) throws(RealmError) in
                try column.insert(value, slot, at: 0)
            }
            return try adopt(Ref(sibling), left: leafPosition.rows, right: 1)
        }
        let sibling = try column.split(leafPosition.slot, at: leafPosition.index)
        try column.insert(value, leafPosition.slot, at: leafPosition.index)
        try adopt(
            sibling, left: leafPosition.index + 1, right: leafPosition.rows - leafPosition.index)
    }

    /// Inserts the second half of a split node into its parent, directly after the first half,
    /// which is the node at the end of the path. Adds 1 to the sizes of all nodes above: the split
    /// also inserted one element.
    ///
    /// - Parameters:
    ///   - left: number of elements that the first half has now.
    ///   - right: number of elements of `sibling`, the second half.
    private func adopt(_ sibling: Ref, left: Int, right: Int) throws(RealmError) {
        var (sibling, left, right) = (sibling, left, right)
        var level = path.count - 1
        while level >= 0 {
            let node = try insertChild(sibling, level, left: left)
            if children(node) <= context.fanout.tree {
                return try addToSizes(1, levels: level)
            }
            (sibling, left, right) = try split(node, added: path[level].child + 1)
            level -= 1
        }
        try growRoot(sibling, left: left, right: right)
    }

    private func insertChild(
        _ sibling: Ref, _ level: Int, left: Int
    ) throws(RealmError) -> SlabNode {
        let step = path[level]
        let entries = try Entries(context, step.node.view)
        if entries.even == nil {
            let end = entries.start(step.child) + left
            try nodes.addToIntegers(step.node.slots, from: step.child, 1, .none)
            try nodes.insertInteger(step.node.slots, step.child, Int64(end), .none)
        }
        let node = try nodes.ensureCapacity(slot(level), for: step.node.count + 1)
        node.open(2 + step.child)
        node.slots[TreeShape.child(step.child + 1)] = sibling.raw
        setTotal(node, entries.total + 1)
        return node
    }

    /// Splits an inner node with too many children. Returns the right node and the element counts
    /// of both.
    private func split(
        _ node: SlabNode, added: Int
    ) throws(RealmError) -> (ref: Ref, left: Int, right: Int) {
        let entries = try Entries(context, node.view)
        // If the new child is the last one, it alone moves to the new node. Otherwise each node
        // gets half of the children.
        let cut = added == entries.count - 1 ? added : entries.count / 2
        let left = entries.start(cut)
        let new = try nodes.newRefs(
            TreeShape.count(entries.count - cut), flags: NodeView.innerFlag, extra: 8)
        for i in cut..<entries.count {
            new.node.slots[TreeShape.child(i - cut)] = node.slots[TreeShape.child(i)]
        }
        setTotal(new.node, entries.total - left)
        if let even = entries.even {
            new.node.slots[TreeShape.offsets] = NodeEncoder.tag(even)
        } else {
            new.node.slots[TreeShape.offsets] = try context.encoder.unsigned(
                (cut..<entries.count - 1).map { UInt64(entries.end($0) - left) }
            ).raw
            try nodes.makeWritable(node.slots).resize(cut - 1)
        }
        node.resize(cut + 2)
        setTotal(node, left)
        return (new.ref, left, entries.total - left)
    }

    private func growRoot(_ sibling: Ref, left: Int, right: Int) throws(RealmError) {
        let old = Ref(rootSlot.pointee)
        let node = nodes.slab.writable(old)
        // Only the root has the flag that marks a list with links to tombstones.
        if element.type == .link {
            node.resize(node.count, flags: node.flags & ~NodeView.contextFlag)
        }
        let isEven = !node.view.isInner || NodeSlot(raw: node.slots[TreeShape.offsets]).isTagged
        let root = try nodes.newRefs(TreeShape.count(2), flags: NodeView.innerFlag, extra: 8)
        root.node.slots[TreeShape.offsets] =
            isEven && right <= left
            ? NodeEncoder.tag(left) : try context.encoder.unsigned([UInt64(left)]).raw
        root.node.slots[TreeShape.child(0)] = old.raw
        root.node.slots[TreeShape.child(1)] = sibling.raw
        setTotal(root.node, left + right)
        rootSlot.pointee = root.ref.raw
    }
}
