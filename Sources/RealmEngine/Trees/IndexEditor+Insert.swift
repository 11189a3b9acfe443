/// Adding to an index (object format 5.5 and 5.6).
extension IndexEditor {
    /// Adds to one level of the trie; returns its root, a new one if the old one split.
    func insert(_ entry: Entry, level: Node, offset: Int) throws(RealmError) -> Node {
        let chunk = entry.string.chunk(at: offset)
        guard let sibling = try insert(entry, chunk, in: level, offset: offset, depth: 0) else {
            return level
        }
        let root = Node(isInner: true)
        root.append(level.lastChunk, Slot(level))
        root.append(sibling.lastChunk, Slot(sibling))
        return root
    }

    /// Adds below `node`; returns the right half if it split.
    private func insert(
        _ entry: Entry, _ chunk: Int32, in node: Node, offset: Int, depth: Int
    ) throws(RealmError) -> Node? {
        try touch(node)
        let i = node.lowerBound(chunk)
        guard node.isInner else { return try insert(entry, chunk, inLeaf: node, i, offset) }
        let at = min(i, node.count - 1)
        let child = try child(node, at, depth: depth)
        let sibling = try insert(entry, chunk, in: child, offset: offset, depth: depth + 1)
        node.setChunk(at, child.lastChunk)
        guard let sibling else { return nil }
        node.insert(sibling.lastChunk, Slot(sibling), at: at + 1)
        return splitIfFull(node, after: at + 1)
    }

    @inline(__always)
    private func insert(
        _ entry: Entry, _ chunk: Int32, inLeaf leaf: Node, _ i: Int, _ offset: Int
    ) throws(RealmError) -> Node? {
        if i < leaf.count, leaf.chunks[i] == chunk {
            if holdsWords {
                try placeWord(entry, leaf, i, offset)
            } else {
                try place(entry, leaf, i, offset)
            }
            return nil
        }
        leaf.insert(chunk, Slot(literal: entry.key), at: i)
        if holdsWords, offset + 4 < entry.string.count { try extendWord(entry, leaf, i, offset) }
        return splitIfFull(leaf, after: i)
    }

    /// Halves a node that is over-full after something came in at `i`; what came in at the end goes
    /// into a node of its own, since more is likely to follow it.
    @inline(__always)
    private func splitIfFull(_ node: Node, after i: Int) -> Node? {
        if node.count <= context.fanout.index { return nil }
        return node.split(at: i == node.count - 1 ? i : node.count / 2)
    }

    // MARK: Values

    /// Adds an object where others with the same chunk already are.
    private func place(
        _ entry: Entry, _ leaf: Node, _ i: Int, _ offset: Int
    ) throws(RealmError) {
        let slot = try resolved(leaf, i, offset: offset)
        if slot.isNode { return try insert(entry, into: slot.node, leaf, i, offset) }
        let first = slot.isLiteral ? slot.key : try slot.list.key(0)
        if slot.isLiteral, first == entry.key { return }
        guard let value = try known(slot, first, entry) else {
            isStale = true
            return
        }
        let string = IndexString(value)
        if string != entry.string {
            guard string.sharesPath(with: entry.string, through: offset) else {
                isStale = true
                return
            }
            if offset + 4 <= Self.maximumOffset {
                return try divide(leaf, i, string.chunk(at: offset + 4), entry, offset)
            }
        }
        if slot.isLiteral {
            try makeList(leaf, i, first, value, entry)
        } else {
            try insert(entry, slot.list, first: first, value)
        }
    }

    /// The value of the first object in a slot, nil if there is no such object.
    private func known(_ slot: Slot, _ first: Int64, _ entry: Entry) throws(RealmError) -> Value? {
        if slot.isList, let shared = slot.list.sharedValue(flushes: flushes) { return shared }
        return try value(of: first, entry)
    }

    /// The value of the object with `key`; the column may not have that of the entry's own yet.
    func value(of key: Int64, _ entry: Entry) throws(RealmError) -> Value? {
        key == entry.key ? entry.value : try value(ObjectKey(key))
    }

    private func insert(
        _ entry: Entry, into level: Node, _ leaf: Node, _ i: Int, _ offset: Int
    ) throws(RealmError) {
        let top = try insert(entry, level: level, offset: offset + 4)
        if top !== level { leaf.set(i, Slot(top)) }
    }

    /// Moves what is at `i` one level down, under `chunk`, and adds the entry beside it.
    private func divide(
        _ leaf: Node, _ i: Int, _ chunk: Int32, _ entry: Entry, _ offset: Int
    ) throws(RealmError) {
        let level = Node(isInner: false)
        level.append(chunk, leaf.exchange(i, Slot(level)))
        try insert(entry, into: level, leaf, i, offset)
    }

    private func makeList(
        _ leaf: Node, _ i: Int, _ key: Int64, _ value: Value, _ entry: Entry
    ) throws(RealmError) {
        let order = ValueOrder.compare(value, entry.value)
        let isFirst = order != 0 ? order < 0 : key < entry.key
        let list = try KeyList(context, isFirst ? [key, entry.key] : [entry.key, key])
        if order == 0 { list.setShared(value, flushes: flushes) }
        leaf.set(i, Slot(list))
    }

    /// Adds to a list whose first object is `first` with `value`.
    private func insert(
        _ entry: Entry, _ list: KeyList, first: Int64, _ value: Value
    ) throws(RealmError) {
        var isUniform = list.sharedValue(flushes: flushes) != nil
        if !isUniform {
            let last = try list.key(list.count - 1)
            guard let other = try self.value(of: last, entry) else {
                isStale = true
                return
            }
            isUniform = ValueOrder.areEqual(value, other)
        }
        isUniform = isUniform && ValueOrder.areEqual(value, entry.value)
        // The entry's own value belongs to the caller and is not kept.
        list.setShared(isUniform && first != entry.key ? value : nil, flushes: flushes)
        let at =
            isUniform
            ? try list.lowerBound(entry.key) : try lowerBound(entry, list)
        if isStale { return }
        if try !list.matches(entry.key, at: at) { try list.insert(entry.key, at: at) }
    }

    /// Index of the entry in a list sorted by value, then key.
    func lowerBound(_ entry: Entry, _ list: KeyList) throws(RealmError) -> Int {
        try list.firstIndex { (key) throws(RealmError) in
            guard let value = try value(of: key, entry) else {
                isStale = true
                return false
            }
            let order = ValueOrder.compare(value, entry.value)
            return order != 0 ? order < 0 : key < entry.key
        }
    }

    // MARK: Words

    /// Adds an object where the word's chunk already is.
    private func placeWord(
        _ entry: Entry, _ leaf: Node, _ i: Int, _ offset: Int
    ) throws(RealmError) {
        let slot = try resolved(leaf, i, offset: offset)
        if slot.isNode { return try insert(entry, into: slot.node, leaf, i, offset) }
        if offset + 4 < entry.string.count {
            // A word ends here and another goes on: its end becomes a chunk of its own.
            return try divide(leaf, i, IndexString.end, entry, offset)
        }
        if slot.isList {
            let at = try slot.list.lowerBound(entry.key)
            if try !slot.list.matches(entry.key, at: at) { try slot.list.insert(entry.key, at: at) }
        } else if slot.key != entry.key {
            let (a, b) = (slot.key, entry.key)
            leaf.set(i, Slot(try KeyList(context, [min(a, b), max(a, b)])))
        }
    }

    /// The word goes on behind the chunk just added: levels down to its end.
    private func extendWord(
        _ entry: Entry, _ leaf: Node, _ i: Int, _ offset: Int
    ) throws(RealmError) {
        let level = Node(isInner: false)
        leaf.set(i, Slot(level))
        try insert(entry, into: level, leaf, i, offset)
    }
}
