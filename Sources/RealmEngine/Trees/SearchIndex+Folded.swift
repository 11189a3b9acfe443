/// Texts that differ in case only. Folding never changes a length, and every byte has at most one
/// other form, so a chunk of the text stands for at most sixteen of the trie.
extension SearchIndex {
    /// Appends an entry for every path that a text equal to `text` but for case may have.
    func entries(
        forFolded text: ByteView, into entries: inout [Entry]
    ) throws(RealmError) {
        var pending: [(ref: Ref, offset: Int)] = [(root, 0)]
        var budget = Int(space.limit)
        while let (ref, offset) = pending.popLast() {
            for chunk in Self.forms(of: text, at: offset) {
                budget -= 8
                guard budget > 0 else { throw space.exhausted(ref) }
                guard let slot = try entry(ref, chunk) else { continue }
                if try isEnd(slot) {
                    entries.append(Entry(slot: slot, offset: offset))
                } else {
                    guard offset < 4 * Self.maximumDepth else { throw tooDeep }
                    pending.append((slot.ref, offset &+ 4))
                }
            }
        }
    }

    /// The chunk at `offset` in all its forms.
    private static func forms(of text: ByteView, at offset: Int) -> [Int32] {
        var forms = [IndexString(text).chunk(at: offset)]
        for i in offset..<max(offset, min(offset + 4, text.count)) {
            let byte = text[i]
            let other = TextMatch.otherCase(byte, after: i > 0 ? text[i - 1] : 0)
            if other == byte { continue }
            let change = Int32(bitPattern: UInt32(byte ^ other) << UInt32(24 - 8 * (i - offset)))
            forms += forms.map { $0 ^ change }
        }
        return forms
    }
}
