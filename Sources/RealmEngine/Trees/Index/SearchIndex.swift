/// A search index: a trie over four-byte chunks of index strings. Each level of the trie is a small
/// B-tree (object format 5).
///
/// Different values can have the same index string. So the values of objects that were found must
/// be compared with the wanted value: for each object, or once for a list of objects with equal
/// values (object format 5.5).
struct SearchIndex {
    let space: NodeSpace
    let root: Ref

    /// Maximum number of levels. Valid files need fewer; the limit ends walks in damaged files with
    /// cycles.
    static let maximumDepth = 4096

    /// The end of a path in the trie: one object or a list of objects.
    struct Entry {
        /// An object's key, or the ref of a list of keys.
        let slot: NodeSlot
        /// Offset, in the index string, of the last chunk on the path.
        let offset: Int

        /// Whether all objects of the list have equal values, so that the value of one object
        /// suffices. In mixed columns, a few different values share an index string, such as 1 and
        /// `true`. In other columns, values with the same string are equal. False at the maximum
        /// depth of the trie, because the strings were compared only up to that depth (object
        /// format 5.5).
        var areValuesEqual: Bool { offset &+ 4 <= SearchIndex.maximumOffset }
    }

    /// Offset of the last level of a general index. Values whose index strings are equal up to and
    /// including the four bytes (chunk) at this offset share a list.
    static let maximumOffset = 200
    /// Offset of the last level of an index of words, which also indexes the strings of lists. The
    /// longest such string has `maximumOffset` bytes, and the mark of its end follows.
    static let maximumWordOffset = maximumOffset + 4

    /// Returns the entry at the end of the path that the chunks of `value` select in the trie; nil
    /// if there is none.
    func entry(for value: Value) throws(RealmError) -> Entry? {
        let string = IndexString(value)
        var ref = root
        var offset = 0
        for _ in 0..<Self.maximumDepth {
            guard let slot = try entry(ref, string.chunk(at: offset)) else { return nil }
            if try isEnd(slot) { return Entry(slot: slot, offset: offset) }
            ref = slot.ref
            offset += 4
        }
        throw tooDeep
    }

    var tooDeep: RealmError {
        .corrupt("a search index deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// Appends the keys of the objects that may have `value`; the caller must compare their values.
    func candidates(for value: Value, into keys: inout [ObjectKey]) throws(RealmError) {
        guard let entry = try entry(for: value) else { return }
        if entry.slot.isTagged {
            keys.append(ObjectKey(Int64(bitPattern: entry.slot.value)))
        } else {
            try KeyList(space, entry.slot.ref).append(to: &keys)
        }
    }

    /// Whether the object with `key` may have `value`. Does not collect the keys of a list, since a
    /// list in a damaged file may contain millions.
    func leads(to key: ObjectKey, for value: Value) throws(RealmError) -> Bool {
        guard let entry = try entry(for: value) else { return false }
        if entry.slot.isTagged { return entry.slot.value == UInt64(bitPattern: key.raw) }
        var isThere = false
        try KeyList(space, entry.slot.ref).visit { (part) throws(RealmError) in
            isThere = part.contains(key.raw)
            return !isThere
        }
        return isThere
    }

    /// Whether a slot contains an object's key or the ref of a list. Otherwise it references the
    /// next level of the trie.
    func isEnd(_ slot: NodeSlot) throws(RealmError) -> Bool {
        if slot.isTagged { return true }
        return try !space.node(slot.ref).context
    }

    /// Searches the level with the root `start` for `chunk`; returns nil if there is no entry.
    func entry(_ start: Ref, _ chunk: Int32) throws(RealmError) -> NodeSlot? {
        var ref = start
        for _ in 0..<BPlusTree.maximumDepth {
            let (node, keys) = try open(ref)
            let low = IntegerKernels.firstNotBelow(Int64(chunk), keys)
            guard low < keys.count else { return nil }
            if node.isInner {
                ref = try child(low, of: node, ref)
                continue
            }
            return keys.integer(low) == Int64(chunk) ? try entry(low, of: node, ref) : nil
        }
        throw .corrupt("an index node deeper than \(BPlusTree.maximumDepth) levels", at: start)
    }

    // MARK: Nodes

    /// Opens the node at `ref` and its array of chunks.
    func open(_ ref: Ref) throws(RealmError) -> (node: NodeView, keys: NodeView) {
        let node = try space.treeNode(ref, slots: IndexShape.minimumCount, "index node")
        let keys = try space.integers(node.slot(IndexShape.chunks).ref, "index keys")
        guard keys.count == IndexShape.entryCount(node.count) else {
            throw space.wrongShape(ref, "index node")
        }
        return (node, keys)
    }

    /// Returns child `i` of an inner node.
    func child(_ i: Int, of node: NodeView, _ ref: Ref) throws(RealmError) -> Ref {
        guard let child = node.slot(IndexShape.entry(i)).child else {
            throw space.wrongShape(ref, "index node")
        }
        return child
    }

    /// Returns entry `i` of a leaf node.
    func entry(_ i: Int, of node: NodeView, _ ref: Ref) throws(RealmError) -> NodeSlot {
        let slot = node.slot(IndexShape.entry(i))
        guard !slot.isNone else { throw space.wrongShape(ref, "index node") }
        return slot
    }
}
