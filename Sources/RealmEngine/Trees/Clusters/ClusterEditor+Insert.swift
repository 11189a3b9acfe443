/// Insertion of objects, and the splits of full nodes (object format 2.4).
extension ClusterEditor {
    /// Inserts an object. `values` has a value for each column, at the column's position in cluster
    /// leaves; values at positions without a column are ignored.
    ///
    /// Throws `corrupt` if there is an object with `key`.
    func insert(_ key: ObjectKey, _ values: UnsafePointer<Value>) throws(RealmError) {
        guard try insertNew(key, values) else {
            throw .corrupt("object \(key.raw) exists already", in: "cluster")
        }
    }

    /// Inserts an object like `insert`. If there is an object with `key`, returns false and changes
    /// nothing.
    func insertNew(_ key: ObjectKey, _ values: UnsafePointer<Value>) throws(RealmError) -> Bool {
        try closeRun()
        let raw = UInt64(bitPattern: key.raw)
        let place = try makePathWritable(raw)
        let relative = raw &- place.range.base
        let rows = try rows(place.leaf)
        let row = try lowerBound(relative, place.leaf, rows)
        if row < rows, try self.key(row, place.leaf) == relative { return false }
        if rows < context.fanout.clusterLeaf {
            if !place.isOpen { try openColumns(place.leaf, rows: rows) }
            try insertRow(values, relative, place.leaf, at: row, rows: rows)
            cachedPath?.isOpen = true
            try addToCounts(1)
            return true
        }
        let sibling = try split(place.leaf, at: row, rows: rows, relative, values)
        try addToCounts(1)
        try adopt(sibling.ref, sibling.key)
        return true
    }

    private func insertRow(
        _ values: UnsafePointer<Value>, _ key: UInt64, _ leaf: SlabNode, at row: Int, rows: Int
    ) throws(RealmError) {
        for i in used {
            try columns[i]!.insert(values[i], leaf.slots + ClusterLeafShape.column(i), at: row)
        }
        try insertKey(key, leaf, at: row, rows: rows)
    }

    /// Makes all columns of a leaf writable. Throws if any column is damaged, before one is
    /// changed.
    private func openColumns(_ leaf: SlabNode, rows: Int) throws(RealmError) {
        for i in used { try columns[i]!.open(leaf.slots + ClusterLeafShape.column(i), rows: rows) }
    }

    /// Splits a full leaf and inserts the object into one of the two leaves. Returns the right leaf
    /// and the offset of its first key from the base of the left leaf.
    private func split(
        _ leaf: SlabNode, at row: Int, rows: Int, _ key: UInt64, _ values: UnsafePointer<Value>
    ) throws(RealmError) -> (ref: Ref, key: UInt64) {
        if row == rows {
            let sibling = try newLeaf()
            try openColumns(sibling.node, rows: 0)
            try insertRow(values, 0, sibling.node, at: 0, rows: 0)
            return (sibling.ref, key)
        }
        let sibling = try split(leaf, at: row, rows: rows)
        try openColumns(leaf, rows: row)
        try insertRow(values, key, leaf, at: row, rows: row)
        return sibling
    }

    /// Moves the rows from `row` on to a new leaf. Returns the new leaf and the offset of its first
    /// key from the base of the old leaf.
    func split(
        _ leaf: SlabNode, at row: Int, rows: Int
    ) throws(RealmError) -> (ref: Ref, key: UInt64) {
        try openColumns(leaf, rows: rows)
        let sibling = try nodes.newRefs(ClusterLeafShape.count(columns.count))
        for i in used {
            let tail = try columns[i]!.split(leaf.slots + ClusterLeafShape.column(i), at: row)
            sibling.node.slots[ClusterLeafShape.column(i)] = tail.raw
        }
        return (sibling.ref, try splitKeys(leaf, sibling.node, at: row, rows: rows))
    }

    private func splitKeys(
        _ leaf: SlabNode, _ sibling: SlabNode, at row: Int, rows: Int
    ) throws(RealmError) -> UInt64 {
        let first = try key(row, leaf)
        if NodeSlot(raw: leaf.slots[ClusterLeafShape.keys]).isTagged {
            leaf.slots[ClusterLeafShape.keys] = NodeEncoder.tag(row)
            sibling.slots[ClusterLeafShape.keys] = NodeEncoder.tag(rows - row)
            return first
        }
        var keys: [UInt64] = []
        for i in row..<rows { keys.append(try key(i, leaf) &- first) }
        sibling.slots[ClusterLeafShape.keys] = try keySlot(keys)
        try nodes.makeWritable(leaf.slots).resize(row)
        return first
    }

    /// Inserts a node directly after the node at the end of the path. `key` is its key offset from
    /// that node. Splits inner nodes that become too large.
    func adopt(_ child: Ref, _ key: UInt64) throws(RealmError) {
        cachedPath = nil
        var (child, key) = (child, key)
        var level = path.count - 1
        while level >= 0 {
            let i = path[level].child
            let offset = try inner(path[level].node).offset(i) &+ key
            let node = try insertChild(child, offset, at: i + 1, of: slot(level))
            if InnerClusterShape.childCount(node.count) <= context.fanout.clusterInner { return }
            (child, key) = try split(node, added: i + 1)
            level -= 1
        }
        try growRoot(child, key)
    }

    /// Splits an inner node with too many children. Returns the right node and its key offset from
    /// the left node.
    private func split(
        _ node: SlabNode, added: Int
    ) throws(RealmError) -> (ref: Ref, key: UInt64) {
        let inner = try inner(node)
        let count = inner.childCount
        let cut = added == count - 1 ? added : count / 2
        let first = inner.offset(cut)
        let sibling = try nodes.newRefs(
            InnerClusterShape.count(count - cut), flags: NodeView.innerFlag,
            extra: context.fanout.clusterInner)
        var objects = 0
        for i in cut..<count {
            let child = node.slots[InnerClusterShape.child(i)]
            sibling.node.slots[InnerClusterShape.child(i - cut)] = child
            objects += try self.objects(Ref(child))
        }
        sibling.node.slots[InnerClusterShape.depth] = node.slots[InnerClusterShape.depth]
        sibling.node.slots[InnerClusterShape.objects] = NodeEncoder.tag(objects)
        let isEven = inner.depth <= 7 && node.slots[InnerClusterShape.offsets] == 0
        if !isEven {
            sibling.node.slots[InnerClusterShape.offsets] = try context.encoder.unsigned(
                (cut..<count).map { inner.offset($0) &- first }
            ).raw
            try nodes.makeWritable(node.slots).resize(cut)
        }
        node.resize(InnerClusterShape.count(cut))
        try setCount(node, self.count(node) - objects)
        return (sibling.ref, first)
    }

    /// Makes a new root whose children are the old root and, unless it is nil, `sibling` at key
    /// offset `key`.
    func growRoot(_ sibling: Ref?, _ key: UInt64) throws(RealmError) {
        let old = Ref(rootSlot.pointee)
        let view = try nodes.space.node(old)
        var depth = 0
        if view.isInner { depth = try InnerCluster(nodes.space, old, node: view, base: 0).depth }
        var objects = try self.objects(old)
        if let sibling { objects += try self.objects(sibling) }
        let root = try nodes.newRefs(
            InnerClusterShape.count(sibling == nil ? 1 : 2), flags: NodeView.innerFlag, extra: 8)
        if sibling != nil, depth >= 7 || key != UInt64(1) << UInt64(8 * (depth + 1)) {
            root.node.slots[InnerClusterShape.offsets] = try context.encoder.unsigned([0, key]).raw
        }
        root.node.slots[InnerClusterShape.depth] = NodeEncoder.tag(depth + 1)
        root.node.slots[InnerClusterShape.objects] = NodeEncoder.tag(objects)
        root.node.slots[InnerClusterShape.child(0)] = old.raw
        if let sibling { root.node.slots[InnerClusterShape.child(1)] = sibling.raw }
        rootSlot.pointee = root.ref.raw
    }
}
