/// Looking up objects inside a write transaction.
extension IndexEditor {
    /// The first object that has `value` in the column, nil when there is none. For general indexes.
    func find(_ value: Value) throws(RealmError) -> ObjectKey? {
        let string = IndexString(value)
        var level = root
        var offset = 0
        while true {
            let chunk = string.chunk(at: offset)
            guard let leaf = try self.leaf(of: chunk, below: level) else { return nil }
            let i = leaf.lowerBound(chunk)
            guard i < leaf.count else { return nil }
            guard leaf.chunks[i] == chunk else {
                if offset == 0 { gap = Gap(leaf: leaf, index: i, chunk: chunk) }
                return nil
            }
            let slot = try resolved(leaf, i, offset: offset)
            if slot.isLiteral { return try verified(slot.key, value) }
            if slot.isList { return try first(in: slot.list, value) }
            level = slot.node
            offset += 4
        }
    }

    /// Where a look-up found nothing: creating an object looks its primary key up first and then
    /// adds it, which need not search again.
    struct Gap {
        let leaf: Node
        let index: Int
        let chunk: Int32
    }

    /// Adds the entry in the gap the last look-up left; false when that is not its place, or when
    /// more than the leaf would change.
    @inline(__always)
    func fillGap(_ entry: Entry) -> Bool {
        guard let gap = gap.take() else { return false }
        guard gap.leaf.isDirty, gap.leaf.count < context.fanout.index, !holdsWords,
            entry.string.chunk(at: 0) == gap.chunk
        else { return false }
        gap.leaf.insert(gap.chunk, Slot(literal: entry.key), at: gap.index)
        return true
    }

    /// The leaf of one level of the trie that has `chunk` if any has.
    private func leaf(of chunk: Int32, below level: Node) throws(RealmError) -> Node? {
        var node = level
        var depth = 0
        while node.isInner {
            let i = node.lowerBound(chunk)
            guard i < node.count else { return nil }
            node = try child(node, i, depth: depth)
            depth += 1
        }
        return node
    }

    private func verified(_ key: Int64, _ wanted: Value) throws(RealmError) -> ObjectKey? {
        guard let stored = try value(ObjectKey(key)), ValueOrder.areEqual(stored, wanted) else {
            return nil
        }
        return ObjectKey(key)
    }

    private func first(in list: KeyList, _ wanted: Value) throws(RealmError) -> ObjectKey? {
        // In most lists all values are equal.
        if let key = try verified(try list.key(0), wanted) { return key }
        let i = try list.firstIndex { (key) throws(RealmError) in
            guard let stored = try value(ObjectKey(key)) else { return false }
            return ValueOrder.compare(stored, wanted) < 0
        }
        return i < list.count ? try verified(try list.key(i), wanted) : nil
    }
}
