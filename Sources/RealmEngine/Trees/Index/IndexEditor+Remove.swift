/// Removal from an index. Empty nodes are removed; small nodes are not merged (object format 5.5).
extension IndexEditor {
    /// Removes an entry from one level of the trie. If it was the level's last entry, sets `level`
    /// to 0. Returns false if the entry is not found.
    func remove(_ entry: Entry, level: RefSlot, offset: Int) throws(RealmError) -> Bool {
        let chunk = entry.string.chunk(at: offset)
        let base = path.count
        let (_, leaf) = try makePathWritable(chunk, level: level, isNew: false)
        let i = leaf.lowerBound(chunk)
        guard i < leaf.count, leaf.chunks[i] == chunk else { return false }
        let place = leaf.slots + i
        guard try remove(entry, place, offset) else { return false }
        if place.pointee == 0 {
            try drop(i, leaf, level, base)
        } else {
            path.remove(from: base)
        }
        return true
    }

    /// Removes an entry from the slot at `place`. If it was the slot's last entry, sets the slot to
    /// 0. Returns false if the entry is not found.
    private func remove(
        _ entry: Entry, _ place: RefSlot, _ offset: Int
    ) throws(RealmError) -> Bool {
        let slot = NodeSlot(raw: place.pointee)
        if !slot.isTagged, try isLevel(slot.ref, offset: offset) {
            return try remove(entry, level: place, offset: offset + 4)
        }
        if holdsWords, offset + 4 < entry.string.count { return false }
        guard slot.isTagged else { return try removeListed(entry, place) }
        guard slot.object == entry.key else { return false }
        place.pointee = 0
        return true
    }

    private func removeListed(_ entry: Entry, _ place: RefSlot) throws(RealmError) -> Bool {
        var list = try list(Ref(place.pointee))
        guard let at = try position(of: entry, in: list) else { return false }
        try remove(at: at, &list, place)
        // In the index of a list, the reference engine may have stored a key repeatedly (object
        // format 13, defect 7).
        while holdsWords, try list.matches(entry.key, at: at) {
            try remove(at: at, &list, place)
        }
        return true
    }

    private func position(of entry: Entry, in list: KeyView) throws(RealmError) -> Int? {
        let byKey = try list.lowerBound(entry.key)
        if try list.matches(entry.key, at: byKey) { return byKey }
        guard !holdsWords else { return nil }
        let byValue = try lowerBound(entry, list)
        return try list.matches(entry.key, at: byValue) ? byValue : nil
    }

    /// Removes entry `i` from a leaf of a level of the trie. Inner nodes that become empty are
    /// removed from their parents.
    private func drop(
        _ i: Int, _ leaf: IndexNode, _ level: RefSlot, _ base: Int
    ) throws(RealmError) {
        leaf.remove(at: i)
        var node = leaf
        while path.count > base, let step = path.popLast() {
            let above = IndexNode(context.slab, Ref(step.slot.pointee))
            if node.count == 0 {
                above.remove(at: step.child)
            } else {
                above.chunks[step.child] = node.lastChunk
            }
            node = above
        }
        if node.count == 0 { level.pointee = 0 } else { try collapse(level, node) }
    }

    /// While the root of a level is an inner node with one child, replaces it by that child.
    private func collapse(_ level: RefSlot, _ root: IndexNode) throws(RealmError) {
        var root = root
        var depth = 0
        while root.isInner, root.count == 1 {
            guard depth < Self.maximumDepth else { throw tooDeep(Ref(level.pointee)) }
            // Earlier commits may have left several such nodes in sequence: `only`, the new root,
            // may be an inner node with one child too.
            let only = try makeWritable(root.slots, last: root.chunks[0])
            level.pointee = root.slots[0]
            root = only
            depth += 1
        }
    }
}
