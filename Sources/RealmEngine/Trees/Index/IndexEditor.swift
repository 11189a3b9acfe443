/// Editor of one search index: a trie over four-byte chunks of index strings. Each level of the
/// trie is a small B-tree (object format section 5).
///
/// The tree is valid after every edit. An edit copies the nodes on its path that the transaction
/// does not own, and changes the copies (`IndexNode`). Confined to the writer.
///
/// The reference engine can write an index of a mixed column that contradicts the column (object
/// format 13, defects 5 and 6). Edits therefore compare the entries they find with the column.
/// After a contradiction `isStale` is true and edits do nothing; the caller must then rebuild the
/// index from the column with `rebuild`.
final class IndexEditor {
    let context: EditContext
    /// Whether the index contains strings instead of values. Strings are the words of a full-text
    /// index, or the elements of an indexed list of strings; the trie stores them completely.
    /// Values are not stored completely, so look-ups compare them with the column.
    let holdsWords: Bool
    /// Returns the current value of an object in the indexed column; nil if there is no such
    /// object.
    let value: (ObjectKey) throws(RealmError) -> Value?
    /// Whether an edit found that the index contradicts the column.
    var isStale = false
    /// Address of the word that stores the ref of the index's root.
    let rootSlot: RefSlot
    /// Inner nodes of one level of the trie, from its root to the leaf reached last.
    let path = EditPath<Step>()
    /// Insertion point that the last unsuccessful look-up found; nil after an edit.
    var gap: Gap?
    let recent = RecentKeys()
    /// Cache of index lists in which all objects have the same value.
    let sharedValues = SharedValues()
    /// Editors of those lists of object keys that have several nodes, by the ref of the list's
    /// root.
    var trees: [Ref: SequenceEditor] = [:]
    /// Insertions of integers, and other changes of the index, that are not yet stored in nodes.
    let waiting: PendingIntegers
    /// Whether changes of this index may stay pending in a large transaction. They may if the index
    /// is rarely read before the transaction ends.
    var defers: Bool

    /// Slot of a writable inner node, and the index of its child on the path.
    struct Step {
        let slot: RefSlot
        let child: Int
    }

    /// Opens the index at `ref` for editing; makes an empty index if `ref` is none.
    ///
    /// The index of a list of strings has the form of a full-text index. Its strings are edited one
    /// by one with `insert(word:_:)` and `remove(word:_:)`.
    /// - Parameters:
    ///   - waiting: pending changes that a previous editor of the index left.
    ///   - defers: whether changes may be deferred. The first few changes of a transaction are made
    ///     at once. Later ones stay pending until the index is read, and are then applied in index
    ///     order.
    init(
        context: EditContext, root ref: Ref, kind: IndexKind, waiting: PendingIntegers? = nil,
        defers: Bool = false, value: @escaping (ObjectKey) throws(RealmError) -> Value?
    ) throws(RealmError) {
        self.context = context
        self.value = value
        holdsWords = kind == .fullText
        self.waiting = waiting ?? PendingIntegers()
        self.defers = defers
        rootSlot = .allocate(capacity: 1)
        rootSlot.initialize(to: ref.raw)
        if ref.isNone { try beginEmpty() }
        if try look(root).count == 0, waiting == nil { self.waiting.beginEmpty() }
    }

    deinit {
        path.deallocate()
        rootSlot.deallocate()
    }

    var root: Ref { Ref(rootSlot.pointee) }

    private func beginEmpty() throws(RealmError) {
        rootSlot.pointee = try IndexNode.make(context, isInner: false, capacity: 8).ref.raw
    }

    @inline(__always)
    private var defersNext: Bool {
        defers && waiting.reaches(context.fanout.singleIndexChanges)
    }

    /// An object with its value and the value's index string; argument of edits and look-ups.
    struct Entry {
        let string: IndexString
        let value: Value
        let key: Int64
    }

    // MARK: Editing

    /// Adds an object with its value or, in a full-text index, with each distinct word of its text.
    /// Does nothing if the index contains the entry.
    func insert(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else {
            return try WordSet(value).visit { (word) throws(RealmError) in
                try insert(word: word, key)
            }
        }
        if defersNext { return try wait(value, key, isRemoval: false) }
        try insert(Entry(string: IndexString(value), value: value, key: key.raw))
    }

    /// Removes an object's entry for `value` or, in a full-text index, for each word of its text.
    func remove(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else {
            return try WordSet(value).visit { (word) throws(RealmError) in
                try remove(word: word, key)
            }
        }
        if defersNext { return try wait(value, key, isRemoval: true) }
        try remove(Entry(string: IndexString(value), value: value, key: key.raw))
    }

    /// Removes the entry of one of many objects that are deleted together. Defers the removal,
    /// except in a full-text index.
    func removeLater(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        if holdsWords { try remove(value, key) } else { try wait(value, key, isRemoval: true) }
    }

    /// Replaces an object's entry for `old` by one for `new`.
    func change(from old: Value, to new: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else { return try changeWords(from: old, to: new, key) }
        // Nothing changes if both the values and their index strings are equal. Neither implies the
        // other: equal numbers of different types may have different strings, and different values
        // may share one.
        if IndexString(old) == IndexString(new), ValueOrder.areEqual(old, new) { return }
        try remove(old, key)
        try insert(new, key)
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

    /// Whether a word, or a string of an indexed list, is short enough for the index.
    @inline(__always)
    static func fits(word: ByteView) -> Bool { word.count <= SearchIndex.maximumOffset }

    /// Adds an object's entry for one word, or for one string of an indexed list.
    func insert(word: ByteView, _ key: ObjectKey) throws(RealmError) {
        guard Self.fits(word: word) else {
            throw RealmError(
                .data, code: "LimitExceeded", reason: "too-long",
                "a string of \(word.count) bytes in an indexed list; \(SearchIndex.maximumOffset) are allowed"
            )
        }
        if waiting.defersWords { return try wait(.string(word), key, isRemoval: false) }
        try insert(Entry(string: IndexString(word), value: .string(word), key: key.raw))
    }

    /// Removes an object's entry for one word or string. For a string that occurs several times in
    /// the indexed list, call it only for the last occurrence.
    func remove(word: ByteView, _ key: ObjectKey) throws(RealmError) {
        try remove(Entry(string: IndexString(word), value: .string(word), key: key.raw))
    }

    private func insert(_ entry: Entry) throws(RealmError) {
        if isStale { return }
        guard entry.key >= 0 else { throw Self.negativeKey() }
        if waiting.hasChanges { try applyPendingChanges() }
        recent.invalidate(entry.value)
        waiting.note(entry.value)
        try insertNow(entry)
    }

    static func negativeKey() -> RealmError {
        .corrupt("a negative object key in an indexed column", in: "table")
    }

    func insertNow(_ entry: Entry) throws(RealmError) {
        if let gap {
            self.gap = nil
            if try fill(gap, entry) { return }
        }
        try add(entry)
    }

    private func remove(_ entry: Entry) throws(RealmError) {
        if isStale { return }
        try flushPendingEntries()
        recent.invalidate(entry.value)
        try removeNow(entry)
    }

    func removeNow(_ entry: Entry) throws(RealmError) {
        gap = nil
        path.remove(from: 0)
        guard try remove(entry, level: rootSlot, offset: 0) else {
            isStale = true
            return
        }
        if rootSlot.pointee == 0 { try beginEmpty() }
    }

    /// Frees all nodes and makes the index empty.
    func clear() throws(RealmError) {
        discardCachedLocations()
        recent.removeAll()
        waiting.invalidate()
        try context.freeDeep(root)
        try beginEmpty()
        isStale = false
    }

    /// Replaces the index by the entries of `builder`; `isStale` becomes false.
    func rebuild(_ builder: IndexBuilder) throws(RealmError) {
        try clear()
        rootSlot.pointee = try builder.finish().raw
    }

    /// Discards cached locations of nodes, which were committed or freed and must not be changed.
    func discardCachedLocations() {
        waiting.beginTransaction()
        gap = nil
        trees.removeAll()
    }

    /// Returns the current root of the index, which is never none. Applies pending changes first
    /// unless `keepsPending`. The editor stays usable.
    func finish(keepsPending: Bool = false) throws(RealmError) -> Ref {
        if !keepsPending { try flushPendingEntries() }
        gap = nil
        return root
    }

    /// Writes an index of all objects of a column and returns its root.
    static func build(
        _ context: EditContext, kind: IndexKind, _ entries: [(value: Value, key: ObjectKey)]
    ) throws(RealmError) -> Ref {
        let builder = IndexBuilder(context, kind: kind)
        for entry in entries { try builder.add(entry.value, entry.key) }
        return try builder.finish()
    }
}
