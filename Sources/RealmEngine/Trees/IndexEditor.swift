/// Edits one search index: a trie over the four-byte chunks of index strings, each of whose nodes
/// is a small B-tree (object format section 5).
///
/// Nodes are loaded when an edit or a look-up reaches them and written back by `flush`; untouched
/// subtrees keep their refs. Confined to the writer.
///
/// The index of a mixed column that the reference engine wrote may contradict the column (object
/// format 13, defects 5 and 6). Editing verifies what it finds; once something is not where it
/// should be, `isStale` is set, further edits do nothing, and the caller rebuilds the index from the
/// column with `rebuild`.
final class IndexEditor {
    let context: EditContext
    /// Whole words lead to objects, instead of values that a look-up can check against the column.
    let holdsWords: Bool
    /// The value an object has in the indexed column now, nil when there is no such object.
    let value: (ObjectKey) throws(RealmError) -> Value?
    /// The index contradicts the column.
    var isStale = false
    /// Number of flushes so far: what `KeyList` knows about values is forgotten with each.
    private(set) var flushes = 0
    private(set) var root: Node
    /// Where the last look-up found nothing; forgotten with the next edit.
    var gap: Gap?
    let recent = RecentKeys()
    /// Integers that are in no node yet.
    let waiting: WaitingIntegers

    /// A trie node's place beyond which nothing is divided further: values that agree in all bytes
    /// up to here and in the next chunk share a list.
    static let maximumOffset = 200
    /// Words reach further: the longest string of an indexed list, and its end.
    private static let maximumWordOffset = maximumOffset + 4
    /// Deeper than any B-tree that fits a file; a cycle gets here.
    private static let maximumDepth = 32

    /// Opens the index at `ref` for editing; none is an empty index.
    ///
    /// An index of a list of strings has the full-text shape; its strings are edited one by one with
    /// `insert(word:_:)` and `remove(word:_:)`.
    /// - Parameter waiting: what an editor of the same index left waiting.
    init(
        context: EditContext, root ref: Ref, kind: IndexKind, waiting: WaitingIntegers? = nil,
        value: @escaping (ObjectKey) throws(RealmError) -> Value?
    ) throws(RealmError) {
        self.context = context
        self.value = value
        holdsWords = kind == .fullText
        root = Node(isInner: false)
        self.waiting = waiting ?? WaitingIntegers()
        if !ref.isNone { root = try load(ref) }
        if waiting == nil, root.count == 0 { self.waiting.beginEmpty() }
    }

    /// What an edit or a look-up is about.
    struct Entry {
        let string: IndexString
        let value: Value
        let key: Int64
    }

    // MARK: Editing

    /// Adds an object: its value, or each distinct word of it. Adding what is there changes nothing.
    func insert(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else {
            return try WordSet(value).visit { (word) throws(RealmError) in
                try insert(word: word, key)
            }
        }
        try insert(Entry(string: IndexString(value), value: value, key: key.raw))
    }

    /// Removes an object that has `value`.
    func remove(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else {
            return try WordSet(value).visit { (word) throws(RealmError) in
                try remove(word: word, key)
            }
        }
        try remove(Entry(string: IndexString(value), value: value, key: key.raw))
    }

    /// Moves an object whose value changes from `old` to `new`.
    func change(from old: Value, to new: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else { return try changeWords(from: old, to: new, key) }
        // Equal values of different types can have different strings, and equal strings can stand
        // for different values, which lists keep apart.
        let string = IndexString(new)
        if IndexString(old) == string, ValueOrder.areEqual(old, new) { return }
        try remove(old, key)
        try insert(Entry(string: string, value: new, key: key.raw))
    }

    private func changeWords(
        from old: Value, to new: Value, _ key: ObjectKey
    ) throws(RealmError) {
        let before = WordSet(old)
        let after = WordSet(new)
        try before.visit(notIn: after) { (word) throws(RealmError) in try remove(word: word, key)
        }
        try after.visit(notIn: before) { (word) throws(RealmError) in try insert(word: word, key)
        }
    }

    /// Whether a word, or a string of a list, is short enough for an index of such.
    @inline(__always)
    static func fits(word: ByteView) -> Bool { word.count <= maximumOffset }

    /// Adds one word, or one string of an indexed list, of an object.
    func insert(word: ByteView, _ key: ObjectKey) throws(RealmError) {
        guard Self.fits(word: word) else {
            throw RealmError(
                .data, code: "LimitExceeded", reason: "too-long",
                "a string of \(word.count) bytes in an indexed list; \(Self.maximumOffset) are allowed"
            )
        }
        try insert(Entry(string: IndexString(word), value: .string(word), key: key.raw))
    }

    /// Removes one word, or the last of equal strings of an indexed list, of an object.
    func remove(word: ByteView, _ key: ObjectKey) throws(RealmError) {
        try remove(Entry(string: IndexString(word), value: .string(word), key: key.raw))
    }

    private func insert(_ entry: Entry) throws(RealmError) {
        if isStale { return }
        guard entry.key >= 0 else {
            throw .corrupt("a negative object key in an indexed column", in: "table")
        }
        recent.forget(entry.value)
        waiting.note(entry.value)
        context.editedBytes &+= 32
        if gap != nil, fillGap(entry) { return }
        root = try insert(entry, level: root, offset: 0)
    }

    private func remove(_ entry: Entry) throws(RealmError) {
        if isStale { return }
        try settleWaiting()
        gap = nil
        recent.forget(entry.value)
        if try remove(entry, from: root, offset: 0, depth: 0) {
            root = try collapsed(root)
        } else {
            isStale = true
        }
    }

    /// Lets go of all nodes; the index is empty.
    func clear() throws(RealmError) {
        // Written first, so that what is loaded can be found by its ref like everything else.
        gap = nil
        recent.removeAll()
        waiting.forget()
        try context.freeDeep(try flush())
        root = Node(isInner: false)
        isStale = false
    }

    /// Replaces everything by what `builder` was given: the way out of being stale.
    func rebuild(_ builder: IndexBuilder) throws(RealmError) {
        try clear()
        root = try load(try builder.finish())
    }

    /// Writes a new index of all objects of a column and returns its root.
    static func build(
        _ context: EditContext, kind: IndexKind, _ entries: [(value: Value, key: ObjectKey)]
    ) throws(RealmError) -> Ref {
        let builder = IndexBuilder(context, kind: kind)
        for entry in entries { try builder.add(entry.value, entry.key) }
        return try builder.finish()
    }

    // MARK: Loading

    /// The node at `i` of an inner node.
    @inline(__always)
    func child(_ parent: Node, _ i: Int, depth: Int) throws(RealmError) -> Node {
        let slot = parent.slot(i)
        return slot.isNode ? slot.node : try loadChild(parent, i, depth)
    }

    private func loadChild(_ parent: Node, _ i: Int, _ depth: Int) throws(RealmError) -> Node {
        let ref = parent.slot(i).ref
        guard depth < Self.maximumDepth else {
            throw .corrupt("an index node deeper than \(Self.maximumDepth) levels", at: ref)
        }
        let node = try load(ref)
        guard node.count > 0, node.lastChunk == parent.chunks[i] else {
            throw .corrupt("an index node whose last key is not its key above", at: ref)
        }
        parent.set(i, Slot(node))
        return node
    }

    /// What a leaf holds at `i`, loaded.
    @inline(__always)
    func resolved(_ leaf: Node, _ i: Int, offset: Int) throws(RealmError) -> Slot {
        let slot = leaf.slot(i)
        return slot.isStored ? try loadSlot(leaf, i, offset) : slot
    }

    private func loadSlot(_ leaf: Node, _ i: Int, _ offset: Int) throws(RealmError) -> Slot {
        let ref = leaf.slot(i).ref
        guard try context.space.node(ref).context else {
            let list = try KeyList(context, at: ref)
            guard list.count > 0 else { throw .corrupt("an empty index list", at: ref) }
            leaf.set(i, Slot(list))
            return leaf.slot(i)
        }
        guard offset + 4 <= (holdsWords ? Self.maximumWordOffset : Self.maximumOffset) else {
            throw .corrupt("an index nested too deep", at: ref)
        }
        let node = try load(ref)
        guard node.count > 0 else { throw .corrupt("an empty index node", at: ref) }
        leaf.set(i, Slot(node))
        return leaf.slot(i)
    }

    private func load(_ ref: Ref) throws(RealmError) -> Node {
        let space = context.space
        let view = try space.treeNode(ref, slots: 1, "index node")
        guard view.context, let keysRef = view.slot(0).child else {
            throw space.wrongShape(ref, "index node")
        }
        let keys = try space.integers(keysRef, "index keys")
        guard keys.width == 32, keys.count == view.count - 1, keys.count > 0 || !view.isInner else {
            throw space.wrongShape(keysRef, "index keys")
        }
        let node = Node(isInner: view.isInner, origin: ref, capacity: keys.count + 8)
        context.editedBytes &+= 12 &* keys.count &+ 96
        let limit = context.limit(ofRefsIn: ref)
        for i in 0..<keys.count {
            let chunk = Int32(truncatingIfNeeded: keys.integer(i))
            guard i == 0 || node.lastChunk < chunk else {
                throw .corrupt("index keys that do not ascend", at: keysRef)
            }
            let slot = view.slot(i + 1)
            // A ref that is no multiple of 8 would pass for something loaded.
            guard !slot.isNone, slot.isTagged ? !view.isInner : slot.raw & 7 == 0,
                slot.isTagged || slot.raw < limit
            else { throw space.wrongShape(ref, "index node") }
            node.append(chunk, Slot(raw: slot.raw))
        }
        return node
    }

    // MARK: Writing

    /// The node is about to change: its stored form is let go.
    @inline(__always)
    func touch(_ node: Node) throws(RealmError) {
        if !node.isDirty { try release(node) }
    }

    private func release(_ node: Node) throws(RealmError) {
        let view = try context.space.node(node.origin)
        try context.free(view.slot(0).ref)
        try context.free(node.origin)
        node.origin = .none
        node.isDirty = true
    }

    /// Writes what changed and returns the root's ref, which is never none. The editor stays usable;
    /// with `unloading` it keeps none of the loaded nodes, with `keepsWaiting` the integers that
    /// wait go on waiting.
    func flush(
        unloading: Bool = false, keepsWaiting: Bool = false
    ) throws(RealmError) -> Ref {
        if !keepsWaiting { try settleWaiting() }
        try write(root)
        flushes += 1
        gap = nil
        if unloading { root.unload() }
        return root.origin
    }

    private func write(_ node: Node) throws(RealmError) {
        // Whatever leads to a changed node has changed too.
        guard node.isDirty else { return }
        for i in 0..<node.count {
            let slot = node.slot(i)
            if slot.isNode {
                try write(slot.node)
            } else if slot.isList {
                try slot.list.flush()
            }
        }
        node.origin = try node.encode(context)
        node.isDirty = false
    }
}
