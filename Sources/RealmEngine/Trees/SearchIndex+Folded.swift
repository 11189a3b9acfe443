/// Texts that differ in case only. Folding never changes a length, and every byte has at most one
/// other form, so a chunk of the text stands for at most sixteen of the trie.
extension SearchIndex {
    /// Appends an entry for every path that a text equal to `text` but for case may have.
    func entries(
        forFolded text: ByteView, into entries: inout [Entry]
    ) throws(RealmError) {
        var pending: [(ref: Ref, offset: Int)] = []
        var place: (ref: Ref, offset: Int)? = (root, 0)
        var budget = Int(space.limit)
        while let (ref, offset) = place {
            let chunk = IndexString(text).chunk(at: offset)
            let changes = Self.changes(of: text, at: offset)
            budget -= 8 << changes.nonzeroBitCount
            guard budget > 0 else { throw space.exhausted(ref) }
            try visit(ref, chunk, changes) { (slot) throws(RealmError) in
                if try isEnd(slot) {
                    entries.append(Entry(slot: slot, offset: offset))
                } else {
                    guard offset < 4 * Self.maximumDepth else { throw tooDeep }
                    pending.append((slot.ref, offset &+ 4))
                }
            }
            place = pending.popLast()
        }
    }

    /// Nodes of no more entries are gone over once instead of searched for each form of a chunk.
    private static let fewEntries = 16

    /// Calls `body` with the entries below the node at `ref` for all chunks that differ from `chunk` in
    /// no other bits than `changes`.
    private func visit(
        _ ref: Ref, _ chunk: Int32, _ changes: UInt32,
        _ body: (NodeSlot) throws(RealmError) -> Void
    ) throws(RealmError) {
        if changes != 0, let known = try fewEntries(ref) {
            for i in 0..<known.keys.count {
                let other = known.keys.integer(i)
                let difference = UInt32(truncatingIfNeeded: other ^ Int64(chunk))
                guard difference & ~changes == 0, Int64(Int32(truncatingIfNeeded: other)) == other
                else { continue }
                let slot = known.node.slot(i + 1)
                guard !slot.isNone else { throw space.wrongShape(ref, "index node") }
                try body(slot)
            }
            return
        }
        var change = changes
        while true {
            if let slot = try entry(ref, chunk ^ Int32(bitPattern: change)) { try body(slot) }
            if change == 0 { return }
            // The next of all subsets of the bits.
            change = (change &- 1) & changes
        }
    }

    private func fewEntries(_ ref: Ref) throws(RealmError) -> (node: NodeView, keys: NodeView)? {
        let node = try space.treeNode(ref, slots: 1, "index node")
        guard !node.isInner, node.count - 1 <= Self.fewEntries else { return nil }
        let keys = try space.integers(node.slot(0).ref, "index keys")
        guard keys.count == node.count - 1 else { throw space.wrongShape(ref, "index node") }
        return (node, keys)
    }

    /// The bits by which the forms of the chunk at `offset` differ: letters of two cases differ in one
    /// bit.
    private static func changes(of text: ByteView, at offset: Int) -> UInt32 {
        var changes: UInt32 = 0
        for i in offset..<max(offset, min(offset + 4, text.count)) {
            let byte = text[i]
            let other = TextMatch.otherCase(byte, after: i > 0 ? text[i - 1] : 0)
            changes |= UInt32(byte ^ other) << UInt32(24 - 8 * (i - offset))
        }
        return changes
    }
}
