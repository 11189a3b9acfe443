/// Columns that come, go and change as a whole.
extension ClusterEditor {
    /// Adds a column with `value` for every object.
    func addColumn(
        _ leafIndex: Int, _ layout: LeafLayout, _ value: Value
    ) throws(RealmError) {
        let column = ColumnEditor(context, layout)
        try rewriteLeaves { (slot, rows) throws(RealmError) in
            var leaf = try nodes.ownRefs(slot)
            if leaf.count < leafIndex + 2 {
                let old = leaf.count
                if !leaf.hasRoom(for: leafIndex + 2) {
                    // Room for more columns: most are added one by one.
                    leaf = try nodes.copyRefs(slot, extra: leafIndex + 2 - old + old / 8)
                }
                leaf.resize(leafIndex + 2)
                for i in old..<leafIndex + 2 { leaf.slots[i] = 0 }
            }
            leaf.slots[leafIndex + 1] = try column.make(value, count: rows).raw
        }
        setColumn(leafIndex, column)
    }

    /// Gives every object the same value in a column and frees the nodes that its cells referred to.
    func resetColumn(_ leafIndex: Int, to value: Value) throws(RealmError) {
        let column = try column(leafIndex)
        try rewriteLeaves { (slot, rows) throws(RealmError) in
            let leaf = try nodes.ownRefs(slot)
            try nodes.freeDeep(Ref(leaf.slots[leafIndex + 1]))
            leaf.slots[leafIndex + 1] = try column.make(value, count: rows).raw
        }
    }

    /// Removes a column and frees the nodes that its cells refer to.
    func removeColumn(_ leafIndex: Int) throws(RealmError) {
        try rewriteLeaves { (slot, _) throws(RealmError) in
            let leaf = try nodes.ownRefs(slot)
            try nodes.freeDeep(Ref(leaf.slots[leafIndex + 1]))
            leaf.slots[leafIndex + 1] = 0
        }
        setColumn(leafIndex, nil)
    }

    /// Replaces every value of a column, possibly with another layout.
    func mapColumn(
        _ leafIndex: Int, to layout: LeafLayout, _ transform: (Value) throws(RealmError) -> Value
    ) throws(RealmError) {
        let old = try column(leafIndex)
        let new = ColumnEditor(context, layout)
        try rewriteLeaves { (slot, _) throws(RealmError) in
            try old.map(
                try nodes.ownRefs(slot).slots + leafIndex + 1, to: new, transform)
        }
        setColumn(leafIndex, new)
    }

    private func rewriteLeaves(
        _ body: (RefSlot, _ rows: Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        try closeRun()
        forgetPlaces()
        try rewrite(rootSlot, below: nil, body)
    }

    private func rewrite(
        _ slot: RefSlot, below parent: SlabNode?,
        _ body: (RefSlot, Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        let node = try makeWritable(slot, below: parent)
        guard node.view.isInner else { return try body(slot, try rows(node)) }
        for i in 3..<node.count { try rewrite(node.slots + i, below: node, body) }
    }
}
