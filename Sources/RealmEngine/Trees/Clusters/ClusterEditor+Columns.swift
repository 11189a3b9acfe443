/// Addition, removal and conversion of whole columns, one leaf at a time.
///
/// Between two leaves the transaction may be spilled; then another editor continues at the next
/// leaf. While some leaves have the column and others do not, `columns` contains no editor for it.
extension ClusterEditor {
    /// Adds a column to the leaf at `leafSlot`, with `value` for every object.
    func addColumn(
        _ leafIndex: Int, _ column: ColumnEditor, _ value: Value, to leafSlot: LeafSlot
    ) throws(RealmError) {
        let rows = try rows(makeWritable(leafSlot.slot, below: leafSlot.parent))
        let cells = try column.make(value, count: rows)
        try store(cells, leafIndex, leafSlot)
    }

    /// Removes a column from a leaf and frees the nodes that its cells refer to.
    func removeColumn(_ leafIndex: Int, from leafSlot: LeafSlot) throws(RealmError) {
        let cells = try cells(leafIndex, leafSlot)
        let leaf = try makeWritable(leafSlot.slot, below: leafSlot.parent)
        try nodes.freeDeep(cells)
        let slot = ClusterLeafShape.column(leafIndex)
        if slot < leaf.count { leaf.slots[slot] = 0 }
    }

    /// Moves a leaf's column to another position in the leaf, and converts it to another layout.
    /// `transform` returns the new value for each old value.
    func moveColumn(
        _ leafIndex: Int, _ old: ColumnEditor, to newIndex: Int, _ new: ColumnEditor,
        in leafSlot: LeafSlot, _ transform: (Value) throws(RealmError) -> Value
    ) throws(RealmError) {
        let cells = try cells(leafIndex, leafSlot)
        let leaf = try makeWritable(leafSlot.slot, below: leafSlot.parent)
        let slot = ClusterLeafShape.column(leafIndex)
        if slot < leaf.count { leaf.slots[slot] = 0 }
        var raw = cells.raw
        try old.map(&raw, to: new) { (value) throws(RealmError) in
            try nodes.checkRoot(of: value, in: cells)
            return try transform(value)
        }
        try store(Ref(raw), newIndex, leafSlot)
    }

    /// Sets a column to `value` for every object of the cluster leaf, and frees the nodes that the
    /// previous values referenced.
    func resetColumn(
        _ leafIndex: Int, to value: Value, in leafSlot: LeafSlot
    ) throws(RealmError) {
        let leaf = try makeWritable(leafSlot.slot, below: leafSlot.parent)
        let slot = ClusterLeafShape.column(leafIndex)
        try nodes.freeDeep(Ref(leaf.slots[slot]))
        leaf.slots[slot] = try column(leafIndex).make(value, count: try rows(leaf)).raw
    }

    /// Replaces every value of a column, possibly with another layout.
    func mapColumn(
        _ leafIndex: Int, to layout: LeafLayout, _ transform: (Value) throws(RealmError) -> Value
    ) throws(RealmError) {
        let old = try column(leafIndex)
        let new = ColumnEditor(context, layout)
        var next: UInt64? = 0
        while let key = next {
            next = try visitLeaf(of: key) { (leafSlot) throws(RealmError) in
                let leaf = try makeWritable(leafSlot.slot, below: leafSlot.parent)
                try old.map(leaf.slots + ClusterLeafShape.column(leafIndex), to: new, transform)
            }
        }
        setColumn(leafIndex, new)
    }

    /// Returns the ref of the column's node in the cluster leaf at `leafSlot`. Call it before the
    /// cluster leaf is copied: the copy has no ref for a column without an editor.
    private func cells(_ leafIndex: Int, _ leafSlot: LeafSlot) throws(RealmError) -> Ref {
        let ref = Ref(leafSlot.slot.pointee)
        let leaf = try nodes.space.node(ref)
        let slot = ClusterLeafShape.column(leafIndex)
        guard leaf.hasRefs, slot < leaf.count, let cells = leaf.slot(slot).child
        else { throw .corrupt("a cluster leaf without column \(leafIndex)", at: ref) }
        try nodes.check(cells, in: ref)
        return cells
    }

    private func store(
        _ cells: Ref, _ leafIndex: Int, _ leafSlot: LeafSlot
    ) throws(RealmError) {
        var leaf = try makeWritable(leafSlot.slot, below: leafSlot.parent)
        let count = ClusterLeafShape.count(leafIndex + 1)
        if leaf.count < count {
            let old = leaf.count
            if !leaf.hasRoom(for: count) {
                // Reserves room for more columns than needed now, because columns are usually added
                // one by one.
                leaf = try nodes.copyRefs(leafSlot.slot, extra: count - old + old / 8)
            }
            leaf.resize(count)
            for i in old..<count { leaf.slots[i] = 0 }
        }
        leaf.slots[ClusterLeafShape.column(leafIndex)] = cells.raw
    }

    // MARK: Leaves

    /// Slot with the ref of a leaf, in a node that the transaction may change.
    struct LeafSlot {
        let slot: RefSlot
        let parent: SlabNode?
    }

    /// Calls `body` with the leaf whose key range contains `key`. Returns the first key of the next
    /// leaf; nil if there is none.
    func visitLeaf(
        of key: UInt64, _ body: (LeafSlot) throws(RealmError) -> Void
    ) throws(RealmError) -> UInt64? {
        try closeRun()
        discardCachedLocations()
        var leafSlot = LeafSlot(slot: rootSlot, parent: nil)
        var range = Range()
        while try nodes.space.node(Ref(leafSlot.slot.pointee)).isInner {
            let node = try makeWritable(leafSlot.slot, below: leafSlot.parent)
            let inner = try self.inner(node)
            let i = inner.child(covering: key &- range.base)
            range = inner.range(i, in: range)
            leafSlot = LeafSlot(slot: node.slots + InnerClusterShape.child(i), parent: node)
        }
        try body(leafSlot)
        return range.end
    }
}
