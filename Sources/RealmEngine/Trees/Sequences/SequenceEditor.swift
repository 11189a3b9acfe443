/// Editor of a B+tree whose elements are addressed by index: lists, sets, the keys and values of
/// dictionaries, backlink lists, index lists and the history (object format 4.1).
///
/// The tree is valid after every edit. An edit copies the nodes on its path that the transaction
/// does not own, and changes the copies. Confined to the writer.
final class SequenceEditor {
    let element: ElementType
    let context: EditContext
    let nodes: NodeMutator
    let column: ColumnEditor
    /// Address of the word that stores the ref of the tree's root.
    let rootSlot: RefSlot
    /// Number of elements in the tree.
    @exclusivity(unchecked) var count: Int
    /// Inner nodes from the root to the leaf reached last.
    let path = EditPath<Step>()
    /// The leaf of the last read access; nil after it changed, or after an insertion or removal.
    @exclusivity(unchecked) private var seen: Seen?
    /// The leaf of the last edit, below the inner nodes in `path`. Nil after nodes were added or
    /// removed.
    @exclusivity(unchecked) var cachedPath: Reached?
    /// Index of the element that was edited last.
    @exclusivity(unchecked) private var lastIndex = 0
    /// Whether the elements are links and some may refer to tombstones, the placeholders of missing
    /// objects.
    private var mayHoldUnresolved = false

    /// A writable inner node, and the index of its child on the path.
    struct Step {
        let node: SlabNode
        let child: Int
    }

    private struct Seen {
        let ref: Ref
        let leaf: ColumnLeaf
        let range: Range<Int>
    }

    /// A writable leaf of the tree, and its range of elements.
    struct Reached {
        let slot: RefSlot
        /// Index, among all elements of the tree, of the leaf's first element.
        let start: Int
        var rows: Int
        /// Number of further appends that certainly keep the nodes on the path in compact form, in
        /// which all children of a node but the last have the same size. They need no check.
        var evenAppends = 0

        /// Whether element `index` is in this leaf, or may be inserted in it. An insertion before
        /// the first element belongs to the left neighbour.
        @inline(__always)
        func takes(_ index: Int, isInsert: Bool) -> Bool {
            if index < start || index > start &+ rows { return false }
            return isInsert ? index > start || start == 0 : index < start &+ rows
        }
    }

    /// Location of an element in a writable leaf.
    struct LeafPosition {
        let slot: RefSlot
        /// Index of the element in the leaf, which has `rows` elements.
        let index: Int
        let rows: Int
    }

    /// Opens the tree at `root` for editing; makes an empty tree if `root` is none.
    init(_ context: EditContext, root ref: Ref, element: ElementType) throws(RealmError) {
        self.context = context
        nodes = context.nodes
        self.element = element
        column = ColumnEditor(context, elements: element)
        rootSlot = .allocate(capacity: 1)
        rootSlot.initialize(to: ref.raw)
        count = 0
        if ref.isNone {
            rootSlot.pointee = try column.makeEmpty().raw
        } else {
            mayHoldUnresolved = try nodes.space.node(ref).context && element.type == .link
            count = try BPlusTree(space: nodes.space, root: ref).count {
                (leaf) throws(RealmError) in
                try ColumnLeaf(nodes.space, leaf, element: element).count
            }
        }
    }

    deinit {
        path.deallocate()
        rootSlot.deallocate()
    }

    var tree: BPlusTree { BPlusTree(space: nodes.space, root: Ref(rootSlot.pointee)) }

    // MARK: Reading

    /// Returns the element at `index` as stored; a link may refer to a tombstone. Valid until the
    /// next change.
    func value(at index: Int) throws(RealmError) -> Value {
        precondition(index >= 0 && index < count)
        if let seen, seen.range.contains(index) { return try value(at: index, seen) }
        try see(index)
        return try value(at: index, seen!)
    }

    /// Opens the leaf with element `index` for reading.
    private func see(_ index: Int) throws(RealmError) {
        let (ref, start) = try leafPosition(of: index)
        let leaf = try ColumnLeaf(nodes.space, ref, element: element)
        guard index - start < leaf.count else { throw Self.wrongSize(ref) }
        seen = Seen(ref: ref, leaf: leaf, range: start..<start + leaf.count)
    }

    /// Returns the leaf that contains element `index`, and the index in the tree of its first
    /// element. If it is the leaf of the last edit, it is found without a search.
    private func leafPosition(of index: Int) throws(RealmError) -> (ref: Ref, start: Int) {
        if let cachedPath, cachedPath.takes(index, isInsert: false) {
            return (Ref(cachedPath.slot.pointee), cachedPath.start)
        }
        return try tree.leaf(containing: index)
    }

    /// Returns the element at `index` of a tree of non-optional integers. Returns nil for other
    /// trees, and if `index` is out of range.
    func plainInteger(at index: Int) throws(RealmError) -> Int64? {
        guard element.type == .int, !element.isNullable, index >= 0, index < count else {
            return nil
        }
        // Opens the leaf as a plain node, not as a `ColumnLeaf` in `seen`. Each change of a leaf
        // discards `seen`, so caching the leaf would not pay.
        let (ref, start) = try leafPosition(of: index)
        let leaf = try IntegerLeaf(nodes.space, ref)
        guard index - start < leaf.count else { throw Self.wrongSize(ref) }
        return leaf.node.integer(index &- start)
    }

    private static func wrongSize(_ ref: Ref) -> RealmError {
        .corrupt("a B+tree child of another size than announced", at: ref)
    }

    @inline(__always)
    private func value(at index: Int, _ seen: Seen) throws(RealmError) -> Value {
        let value = try seen.leaf.stored(index - seen.range.lowerBound)
        try nodes.checkRoot(of: value, in: seen.ref)
        return value
    }

    /// Calls `body` with all elements of the tree in order.
    func visit(_ body: (Value) throws(RealmError) -> Void) throws(RealmError) {
        var leaves = tree.leaves()
        var met = 0
        while let ref = try leaves.next() {
            let leaf = try ColumnLeaf(nodes.space, ref, element: element)
            met += leaf.count
            guard met <= count else {
                throw .corrupt("a B+tree of more elements than announced", at: ref)
            }
            for i in 0..<leaf.count { try body(try leaf.stored(i)) }
        }
    }

    /// Searches for `value` among elements that ascend by `order`.
    func find(
        _ value: Value, order: (Value, Value) -> Int
    ) throws(RealmError) -> OrderedSearch.Result {
        try OrderedSearch(tree, element, count: count).find(value, order: order)
    }

    /// Returns the index of the first integer that is not less than `number`. The tree must contain
    /// ascending integers. Searches the leaf of the last edit first, because objects are mostly
    /// added and removed in key order.
    func lowerBound(of number: Int64) throws(RealmError) -> Int {
        guard count > 0 else { return 0 }
        let i = min(lastIndex, count - 1)
        let isThere = try integer(at: i) == number
        let near = seen!.range
        if isThere {
            if i == 0 { return i }
            if i > near.lowerBound, try integer(at: i - 1) < number { return i }
        }
        let first = try integer(at: near.lowerBound)
        let last = try integer(at: near.upperBound - 1)
        if last < number, near.upperBound == count { return count }
        let isNear = (first < number || near.lowerBound == 0) && number <= last
        return try (isNear ? near : 0..<count).partitionPoint { (i) throws(RealmError) in
            try integer(at: i) >= number
        }
    }

    /// Returns the element at `index` of a tree of integers; -1 if it is null.
    func integer(at index: Int) throws(RealmError) -> Int64 {
        guard case .int(let number) = try value(at: index) else { return -1 }
        return number
    }

    /// Whether the tree may contain links to tombstones, which are not visible through the API.
    var hidesElements: Bool { mayHoldUnresolved }

    // MARK: Editing

    func append(_ value: Value) throws(RealmError) { try insert(value, at: count) }

    /// Appends a binary of `count` bytes that is too long for a leaf. `blob` already contains its
    /// bytes.
    func append(blob: Ref, count: Int) throws(RealmError) {
        try append(.binary(.empty))
        let leafPosition = try makePathWritable(self.count - 1, isInsert: false)
        try column.rebuild(leafPosition.slot) { (leaf) throws(RealmError) in
            try leaf.remove(at: leafPosition.index, context)
            // `ByteView.empty.base` is never read, because the value's bytes are in `blob`.
            leaf.append(.binary(ByteView(ByteView.empty.base, count: count)))
            leaf.setLastBlob(blob)
        }
    }

    func set(_ value: Value, at index: Int) throws(RealmError) {
        precondition(index >= 0 && index < count)
        note(value)
        let leafPosition = try makePathWritable(index, isInsert: false, isSet: true)
        try column.set(value, leafPosition.slot, at: leafPosition.index, rows: leafPosition.rows)
    }

    func note(_ value: Value) {
        if value.isUnresolvedLink { mayHoldUnresolved = true }
    }

    /// Returns the location of element `index`, or of an insertion at `index`. Makes all nodes on
    /// the path writable.
    ///
    /// - Parameter isSet: whether the element will be replaced. Then a cached leaf stays valid,
    ///   unless it contains the element.
    func makePathWritable(
        _ index: Int, isInsert: Bool, isSet: Bool = false
    ) throws(RealmError) -> LeafPosition {
        if !isSet || seen?.range.contains(index) == true { seen = nil }
        lastIndex = index
        // In a commit group, the leaf may belong to an earlier transaction, whose nodes must not
        // change.
        if let cachedPath, cachedPath.takes(index, isInsert: isInsert),
            nodes.owns(Ref(cachedPath.slot.pointee))
        {
            return LeafPosition(
                slot: cachedPath.slot, index: index &- cachedPath.start, rows: cachedPath.rows)
        }
        return try reachSlow(index, isInsert: isInsert)
    }

    private func reachSlow(_ index: Int, isInsert: Bool) throws(RealmError) -> LeafPosition {
        cachedPath = nil
        path.remove(from: 0)
        var slot = rootSlot
        var (i, rows) = (index, count)
        while true {
            guard let node = try inner(slot, count: rows) else {
                try column.open(slot, rows: rows)
                cachedPath = Reached(slot: slot, start: index - i, rows: rows)
                return LeafPosition(slot: slot, index: i, rows: rows)
            }
            let entries = try Entries(context, node.view)
            let child =
                isInsert
                ? entries.child(toInsert: i, full: context.fanout.tree) : entries.child(holding: i)
            guard path.count < BPlusTree.maximumDepth else {
                throw .corrupt("a B+tree deeper than \(BPlusTree.maximumDepth) levels", at: .none)
            }
            path.append(Step(node: node, child: child))
            i -= entries.start(child)
            rows = entries.size(child)
            slot = node.slots + TreeShape.child(child)
        }
    }

    // MARK: Ending

    /// Returns the current root of the tree. The editor stays usable.
    func finish() throws(RealmError) -> Ref {
        guard element.type == .link else { return Ref(rootSlot.pointee) }
        let hidesElements = try holdsUnresolved()
        let root = try nodes.space.node(Ref(rootSlot.pointee))
        if root.context != hidesElements {
            if root.isInner {
                _ = try inner(rootSlot, count: count)
            } else {
                try column.open(rootSlot, rows: count)
            }
            let node = nodes.slab.writable(Ref(rootSlot.pointee))
            node.resize(node.count, flags: node.flags ^ NodeView.contextFlag)
        }
        return Ref(rootSlot.pointee)
    }

    private func holdsUnresolved() throws(RealmError) -> Bool {
        guard mayHoldUnresolved else { return false }
        var found = false
        try visit { (value) in
            if value.isUnresolvedLink { found = true }
        }
        mayHoldUnresolved = found
        return found
    }
}
