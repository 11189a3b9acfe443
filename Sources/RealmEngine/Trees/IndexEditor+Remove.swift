/// Removing from an index. Nothing is merged: what becomes empty goes, the rest stays as it is
/// (object format 5.5).
extension IndexEditor {
    /// Removes below `node`; false when the entry is not where it should be.
    func remove(
        _ entry: Entry, from node: Node, offset: Int, depth: Int
    ) throws(RealmError) -> Bool {
        let chunk = entry.string.chunk(at: offset)
        let i = node.lowerBound(chunk)
        guard i < node.count else { return false }
        if node.isInner {
            let child = try child(node, i, depth: depth)
            guard try remove(entry, from: child, offset: offset, depth: depth + 1) else {
                return false
            }
            try touch(node)
            if child.count == 0 { node.remove(at: i) } else { node.setChunk(i, child.lastChunk) }
            return true
        }
        guard node.chunks[i] == chunk else { return false }
        let slot = try resolved(node, i, offset: offset)
        if slot.isNode { return try remove(entry, level: slot.node, node, i, offset) }
        if holdsWords, offset + 4 < entry.string.count { return false }
        if slot.isLiteral {
            guard slot.key == entry.key else { return false }
            try touch(node)
            node.remove(at: i)
            return true
        }
        return try remove(entry, slot.list, node, i)
    }

    private func remove(
        _ entry: Entry, level: Node, _ leaf: Node, _ i: Int, _ offset: Int
    ) throws(RealmError) -> Bool {
        guard try remove(entry, from: level, offset: offset + 4, depth: 0) else { return false }
        try touch(leaf)
        if level.count == 0 {
            leaf.remove(at: i)
        } else {
            let top = try collapsed(level)
            if top !== level { leaf.set(i, Slot(top)) }
        }
        return true
    }

    private func remove(
        _ entry: Entry, _ list: KeyList, _ leaf: Node, _ i: Int
    ) throws(RealmError) -> Bool {
        guard let at = try position(of: entry, in: list) else { return false }
        try touch(leaf)
        try list.remove(at: at)
        // The reference repeats keys in indexes of lists (object format 13, defect 7).
        while holdsWords, try list.matches(entry.key, at: at) { try list.remove(at: at) }
        if list.count == 0 { leaf.remove(at: i) }
        return true
    }

    private func position(of entry: Entry, in list: KeyList) throws(RealmError) -> Int? {
        let byKey = try list.lowerBound(entry.key)
        if try list.matches(entry.key, at: byKey) { return byKey }
        guard !holdsWords else { return nil }
        let byValue = try lowerBound(entry, list)
        return try list.matches(entry.key, at: byValue) ? byValue : nil
    }

    /// The root of a level after a removal: an inner root with one child is replaced by it.
    func collapsed(_ level: Node) throws(RealmError) -> Node {
        var root = level
        var depth = 0
        while root.isInner, root.count == 1 {
            let only = try child(root, 0, depth: depth)
            // An earlier commit may have left an inner node with one child, untouched until now.
            try touch(root)
            root = only
            depth += 1
        }
        return root.isInner && root.count == 0 ? Node(isInner: false) : root
    }
}
