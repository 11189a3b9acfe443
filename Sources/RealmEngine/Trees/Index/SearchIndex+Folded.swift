/// Case-insensitive search. Upper and lower case of a letter have the same number of bytes, and
/// each byte has at most two spellings. So a chunk of four bytes has at most sixteen spellings:
/// `ab` has `AB`, `Ab`, `aB` and `ab`.
extension SearchIndex {
    /// Appends the entries of all texts that are equal to `text` except for case.
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

    /// Calls `body` with the entries of one level of the trie whose chunks are spellings of
    /// `chunk`. Opens each node once.
    ///
    /// - Parameters:
    ///   - ref: root of the level.
    ///   - changes: the bits in which upper and lower case of the chunk's letters differ.
    private func visit(
        _ ref: Ref, _ chunk: Int32, _ changes: UInt32,
        _ body: (NodeSlot) throws(RealmError) -> Void
    ) throws(RealmError) {
        let forms = Forms(chunk, changes)
        try visit(ref, forms.first, forms.last, forms, depth: 0, body)
    }

    /// Calls `body` with the entries below the node at `ref` whose chunks are among `forms`, the
    /// spellings of one chunk, and in the range from `first` to `last`. Both ends are spellings,
    /// too.
    @_optimize(size)
    private func visit(
        _ ref: Ref, _ first: Int32, _ last: Int32, _ forms: Forms, depth: Int,
        _ body: (NodeSlot) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard depth < BPlusTree.maximumDepth else {
            throw .corrupt("an index node deeper than \(BPlusTree.maximumDepth) levels", at: root)
        }
        let (node, keys) = try open(ref)
        if !node.isInner, keys.count <= forms.count {
            for i in 0..<keys.count where forms.contains(keys.integer(i)) {
                try body(try entry(i, of: node, ref))
            }
            return
        }
        var form: Int32? = first
        while let wanted = form {
            let i = IntegerKernels.firstNotBelow(Int64(wanted), keys)
            guard i < keys.count else { return }
            let key = keys.integer(i)
            guard node.isInner else {
                if key == Int64(wanted) { try body(try entry(i, of: node, ref)) }
                form = forms.after(wanted, until: last)
                continue
            }
            let child = try child(i, of: node, ref)
            var end = wanted
            form = forms.after(wanted, until: last)
            while let next = form, Int64(next) <= key {
                end = next
                form = forms.after(next, until: last)
            }
            try visit(child, wanted, end, forms, depth: depth + 1, body)
        }
    }

    /// The spellings of a chunk in upper and lower case, in ascending order. They are all chunks
    /// that differ from it only in bits of `changes`. The sign bit never differs, because upper and
    /// lower case have the same sign bit.
    private struct Forms {
        private let changes: UInt32
        let first: Int32
        let last: Int32

        init(_ chunk: Int32, _ changes: UInt32) {
            self.changes = changes
            let fixed = UInt32(bitPattern: chunk) & ~changes
            first = Int32(bitPattern: fixed)
            last = Int32(bitPattern: fixed | changes)
        }

        var count: Int { 1 << changes.nonzeroBitCount }

        func contains(_ key: Int64) -> Bool {
            let difference = UInt32(truncatingIfNeeded: key ^ Int64(first))
            return difference & ~changes == 0 && Int64(Int32(truncatingIfNeeded: key)) == key
        }

        /// Returns the next spelling of the chunk after the spelling `form`, in ascending order;
        /// nil if `form` equals `end`.
        func after(_ form: Int32, until end: Int32) -> Int32? {
            if form == end { return nil }
            // Computes the next larger subset of the bits of `changes`.
            let subset = ((UInt32(bitPattern: form) & changes) &- changes) & changes
            return Int32(bitPattern: UInt32(bitPattern: first) | subset)
        }
    }

    /// Returns the bits in which upper and lower case of the text's four bytes at `offset` differ.
    /// The two cases of an ASCII letter differ in bit 0x20 of one byte; a byte without case has no
    /// such bit.
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
