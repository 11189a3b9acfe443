/// Edits one search index: a trie over the four-byte chunks of index strings, each of whose nodes
/// is a small B-tree (object format section 5).
///
/// As with a `ClusterEditor` the tree is whole at every moment: an edit copies the nodes on its way that
/// the transaction has not copied before, and changes the copies (`IndexNode`). Confined to the writer.
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
    /// Holds the root's ref.
    let rootSlot: RefSlot
    /// Inner nodes on the way to the leaf that an edit reached, from the root of its level.
    let path = EditPath<Step>()
    /// Where the last look-up found nothing; forgotten with the next edit.
    var gap: Gap?
    let recent = RecentKeys()
    /// Lists whose objects are known to have one value.
    let sharedValues = SharedValues()
    /// Long lists, by the refs of their roots.
    var trees: [Ref: SequenceEditor] = [:]
    /// Integers and changes that are in no node yet.
    let waiting: WaitingIntegers
    /// Changes of large transactions may wait: the index is rarely read before they end.
    var defers: Bool

    /// An inner node the transaction may change, and the child taken there.
    struct Step {
        let slot: RefSlot
        let child: Int
    }

    /// A trie node's place beyond which nothing is divided further: values that agree in all bytes
    /// up to here and in the next chunk share a list.
    static let maximumOffset = 200
    /// Words reach further: the longest string of an indexed list, and its end.
    static let maximumWordOffset = maximumOffset + 4

    /// Opens the index at `ref` for editing; none is an empty index.
    ///
    /// An index of a list of strings has the full-text shape; its strings are edited one by one with
    /// `insert(word:_:)` and `remove(word:_:)`.
    /// - Parameters:
    ///   - waiting: what an editor of the same index left waiting.
    ///   - defers: many changes wait until the index is read, and are made in its order.
    init(
        context: EditContext, root ref: Ref, kind: IndexKind, waiting: WaitingIntegers? = nil,
        defers: Bool = false, value: @escaping (ObjectKey) throws(RealmError) -> Value?
    ) throws(RealmError) {
        self.context = context
        self.value = value
        holdsWords = kind == .fullText
        self.waiting = waiting ?? WaitingIntegers()
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
        if defersNext { return try wait(value, key, isRemoval: false) }
        try insert(Entry(string: IndexString(value), value: value, key: key.raw))
    }

    /// Removes an object that has `value`.
    func remove(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else {
            return try WordSet(value).visit { (word) throws(RealmError) in
                try remove(word: word, key)
            }
        }
        if defersNext { return try wait(value, key, isRemoval: true) }
        try remove(Entry(string: IndexString(value), value: value, key: key.raw))
    }

    /// Removes an object like many others, which leave in the order of the index.
    func removeLater(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        if holdsWords { try remove(value, key) } else { try wait(value, key, isRemoval: true) }
    }

    /// Moves an object whose value changes from `old` to `new`.
    func change(from old: Value, to new: Value, _ key: ObjectKey) throws(RealmError) {
        guard !holdsWords else { return try changeWords(from: old, to: new, key) }
        // Equal values of different types can have different strings, and equal strings can stand
        // for different values, which lists keep apart.
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
        if waiting.defersWords { return try wait(.string(word), key, isRemoval: false) }
        try insert(Entry(string: IndexString(word), value: .string(word), key: key.raw))
    }

    /// Removes one word, or the last of equal strings of an indexed list, of an object.
    func remove(word: ByteView, _ key: ObjectKey) throws(RealmError) {
        try remove(Entry(string: IndexString(word), value: .string(word), key: key.raw))
    }

    private func insert(_ entry: Entry) throws(RealmError) {
        if isStale { return }
        guard entry.key >= 0 else { throw Self.negativeKey() }
        if waiting.hasChanges { try settleChanges() }
        recent.forget(entry.value)
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
        try settleWaiting()
        recent.forget(entry.value)
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

    /// Lets go of all nodes; the index is empty.
    func clear() throws(RealmError) {
        forgetPlaces()
        recent.removeAll()
        waiting.forget()
        try context.freeDeep(root)
        try beginEmpty()
        isStale = false
    }

    /// Replaces everything by what `builder` was given: the way out of being stale.
    func rebuild(_ builder: IndexBuilder) throws(RealmError) {
        try clear()
        rootSlot.pointee = try builder.finish().raw
    }

    /// Nodes made so far belong to a version that others see, or to none any more.
    func forgetPlaces() {
        waiting.beginTransaction()
        gap = nil
        trees.removeAll()
    }

    /// The root of the index as it is now, which is never none. The editor stays usable; with
    /// `keepsWaiting` the integers that wait go on waiting.
    func finish(keepsWaiting: Bool = false) throws(RealmError) -> Ref {
        if !keepsWaiting { try settleWaiting() }
        gap = nil
        return root
    }

    /// Writes a new index of all objects of a column and returns its root.
    static func build(
        _ context: EditContext, kind: IndexKind, _ entries: [(value: Value, key: ObjectKey)]
    ) throws(RealmError) -> Ref {
        let builder = IndexBuilder(context, kind: kind)
        for entry in entries { try builder.add(entry.value, entry.key) }
        return try builder.finish()
    }
}
