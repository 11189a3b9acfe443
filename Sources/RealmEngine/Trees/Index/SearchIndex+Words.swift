/// Search for words in a full-text index, in which the trie stores all chunks of every word (object
/// format 5.6).
extension SearchIndex {
    /// Appends the entries of all words that begin with `prefix`, which must not be empty.
    func entries(
        forPrefix prefix: ByteView, into entries: inout [Entry]
    ) throws(RealmError) {
        let string = IndexString(prefix)
        var ref = root
        var offset = 0
        while prefix.count - offset > 4 {
            guard let slot = try entry(ref, string.chunk(at: offset)), try !isEnd(slot)
            else { return }
            ref = slot.ref
            offset += 4
        }
        // The remaining one to four bytes are the first bytes of a chunk, which determine a range
        // of chunks.
        let length = prefix.count - offset
        var bits: UInt32 = 0
        for i in 0..<length { bits |= UInt32(prefix[offset + i]) << UInt32(24 - 8 * i) }
        let open: UInt32 = length == 4 ? 0 : UInt32.max >> UInt32(8 * length)
        let range = Int64(Int32(bitPattern: bits))...Int64(Int32(bitPattern: bits | open))
        try appendAll(ref, range, offset, to: &entries)
    }

    /// Appends the entries of the node at `start` with a chunk in `range`, and all entries of the
    /// levels below the slots of these chunks.
    private func appendAll(
        _ start: Ref, _ range: ClosedRange<Int64>, _ offset: Int, to entries: inout [Entry]
    ) throws(RealmError) {
        let everything = Int64(Int32.min)...Int64(Int32.max)
        var pending: [(ref: Ref, range: ClosedRange<Int64>, offset: Int)] = [(start, range, offset)]
        var budget = Int(space.limit)
        while let (ref, range, offset) = pending.popLast() {
            let (node, chunks) = try open(ref)
            budget -= node.byteSize
            guard budget > 0 else { throw space.exhausted(ref) }
            var last = Int64(Int32.min) - 1
            for i in 0..<chunks.count {
                let chunk = chunks.integer(i)
                defer { last = chunk }
                if node.isInner {
                    // Child `i` contains the chunks above the key of child `i - 1` and up to its
                    // own key.
                    guard chunk >= range.lowerBound, last < range.upperBound else { continue }
                    pending.append((try child(i, of: node, ref), range, offset))
                } else if range.contains(chunk) {
                    let slot = try entry(i, of: node, ref)
                    if try isEnd(slot) {
                        entries.append(Entry(slot: slot, offset: offset))
                    } else {
                        pending.append((slot.ref, everything, offset &+ 4))
                    }
                }
            }
        }
    }
}
