/// A search index: a trie over four-byte chunks of a value's index string, each of whose nodes is a
/// small B-tree (object format 5).
///
/// An index string says less than the value it was made from: what is found this way still has to be
/// compared with the column, object by object, or once for a list of objects that all hold the same
/// (object format 5.5).
struct SearchIndex {
    let space: NodeSpace
    let root: Ref

    /// Deeper tries hold nothing any writer makes; a cycle gets here.
    static let maximumDepth = 4096

    /// Where a path of chunks ends.
    struct Entry {
        /// An object's key, or the ref of a list of keys.
        let slot: NodeSlot
        /// Place of the last chunk in the index string.
        let offset: Int

        /// The objects of the list hold equal values, unless different ones share an index string:
        /// the trie tells values apart as long as it grows deeper (object format 5.5).
        var tellsApart: Bool { offset &+ 4 <= SearchIndex.lastOffset }
    }

    /// The chunk from here on is the last one that is looked at in a general index.
    private static let lastOffset = 200

    /// Where the path of `value` ends, nil when no object has such a path.
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

    /// Appends the keys of the objects that may hold `value`.
    func candidates(for value: Value, into keys: inout [ObjectKey]) throws(RealmError) {
        guard let entry = try entry(for: value) else { return }
        if entry.slot.isTagged {
            keys.append(ObjectKey(Int64(bitPattern: entry.slot.value)))
        } else {
            try KeyList(space, entry.slot.ref).append(to: &keys)
        }
    }

    /// Whether the object with `key` may hold `value`. Keeps no keys, of which a damaged list may announce
    /// millions.
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

    /// An object or a list, and no further level of the trie.
    func isEnd(_ slot: NodeSlot) throws(RealmError) -> Bool {
        if slot.isTagged { return true }
        return try !space.node(slot.ref).context
    }

    /// The entry for `chunk` below the node at `ref`, nil when there is none.
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

    /// The node at `ref`, and its chunks.
    func open(_ ref: Ref) throws(RealmError) -> (node: NodeView, keys: NodeView) {
        let node = try space.treeNode(ref, slots: 1, "index node")
        let keys = try space.integers(node.slot(0).ref, "index keys")
        guard keys.count == node.count - 1 else { throw space.wrongShape(ref, "index node") }
        return (node, keys)
    }

    /// What the chunk at place `i` leads to in an inner node.
    func child(_ i: Int, of node: NodeView, _ ref: Ref) throws(RealmError) -> Ref {
        guard let child = node.slot(i + 1).child else { throw space.wrongShape(ref, "index node") }
        return child
    }

    /// The same in any other.
    func entry(_ i: Int, of node: NodeView, _ ref: Ref) throws(RealmError) -> NodeSlot {
        let slot = node.slot(i + 1)
        guard !slot.isNone else { throw space.wrongShape(ref, "index node") }
        return slot
    }
}
