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
            var change = changes
            while true {
                budget -= 8
                guard budget > 0 else { throw space.exhausted(ref) }
                if let slot = try entry(ref, chunk ^ Int32(bitPattern: change)) {
                    if try isEnd(slot) {
                        entries.append(Entry(slot: slot, offset: offset))
                    } else {
                        guard offset < 4 * Self.maximumDepth else { throw tooDeep }
                        pending.append((slot.ref, offset &+ 4))
                    }
                }
                if change == 0 { break }
                // The next of all subsets of the bits.
                change = (change &- 1) & changes
            }
            place = pending.popLast()
        }
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
