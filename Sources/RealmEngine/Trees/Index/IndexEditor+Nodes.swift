/// Reads nodes of an index in place; copies them before they change.
extension IndexEditor {
    /// The parts of a node that a look-up reads, in the file or in the slab of the transaction.
    struct NodeSummary {
        let ref: Ref
        let view: NodeView
        let chunks: UnsafePointer<Int32>
        /// Whether the open transaction owns the node and may change it in place.
        let isOwn: Bool

        @inline(__always) var count: Int { IndexShape.entryCount(view.count) }

        @inline(__always)
        func lowerBound(_ chunk: Int32) -> Int { IndexNode.lowerBound(chunk, chunks, count) }

        /// Address of the slot of entry `i`; nil if the transaction does not own the node.
        @inline(__always)
        func slot(_ i: Int) -> RefSlot? {
            guard isOwn else { return nil }
            return UnsafeMutableRawPointer(mutating: view.payload)
                .assumingMemoryBound(to: UInt64.self) + IndexShape.entry(i)
        }
    }

    @inline(__always)
    func look(_ ref: Ref) throws(RealmError) -> NodeSummary {
        guard context.nodes.owns(ref) else { return try checked(ref) }
        let view = context.slab.writable(ref).view
        let keys = context.slab.writable(view.slot(IndexShape.chunks).ref)
        return NodeSummary(
            ref: ref, view: view, chunks: keys.payload.assumingMemoryBound(to: Int32.self),
            isOwn: true)
    }

    private func checked(_ ref: Ref) throws(RealmError) -> NodeSummary {
        let space = context.space
        let view = try space.treeNode(ref, slots: IndexShape.minimumCount, "index node")
        guard view.context, let keysRef = view.slot(IndexShape.chunks).child else {
            throw space.wrongShape(ref, "index node")
        }
        let keys = try space.integers(keysRef, "index keys")
        guard keys.width == IndexShape.chunkBits, keys.count == IndexShape.entryCount(view.count),
            keys.count > 0 || !view.isInner
        else {
            throw space.wrongShape(keysRef, "index keys")
        }
        let chunks = keys.payload.assumingMemoryBound(to: Int32.self)
        return NodeSummary(ref: ref, view: view, chunks: chunks, isOwn: false)
    }

    /// Returns the slot of the entry at index `i`.
    @inline(__always)
    func entry(_ node: NodeSummary, _ i: Int) throws(RealmError) -> NodeSlot {
        let slot = node.view.slot(IndexShape.entry(i))
        if !node.isOwn {
            let limit = context.nodes.limit(ofRefsIn: node.ref)
            guard IndexNode.leads(slot, isInner: node.view.isInner, below: limit) else {
                throw context.space.wrongShape(node.ref, "index node")
            }
        }
        return slot
    }

    /// Whether a ref is the root of the next level of the trie; otherwise it is a list of keys.
    ///
    /// - Parameter offset: offset in the index string of the level that contains the ref.
    @inline(__always)
    func isLevel(_ ref: Ref, offset: Int) throws(RealmError) -> Bool {
        let flags =
            context.nodes.owns(ref)
            ? context.slab.writable(ref).flags : try context.space.node(ref).flags
        if flags & NodeView.contextFlag == 0 { return false }
        let limit = holdsWords ? SearchIndex.maximumWordOffset : SearchIndex.maximumOffset
        guard offset + 4 <= limit else {
            throw .corrupt("an index nested too deep", at: ref)
        }
        return true
    }

    // MARK: Copy on write

    /// Returns the node at `slot`. Copies it first if the transaction does not own it.
    ///
    /// - Parameter last: the chunk that the parent stores for the node, which must be the node's
    ///   last chunk; nil for the root of a level.
    @inline(__always)
    func makeWritable(_ slot: RefSlot, last: Int32?) throws(RealmError) -> IndexNode {
        let ref = Ref(slot.pointee)
        return context.nodes.owns(ref) ? IndexNode(context.slab, ref) : try copy(slot, last)
    }

    private func copy(_ slot: RefSlot, _ last: Int32?) throws(RealmError) -> IndexNode {
        let old = try checked(Ref(slot.pointee))
        let count = old.count
        guard count > 0 || slot == rootSlot else {
            throw .corrupt("an empty index node", at: old.ref)
        }
        guard IndexNode.ascend(old.chunks, count) else {
            throw .corrupt("index keys that do not ascend", at: old.ref)
        }
        if let last, old.chunks[count - 1] != last {
            throw .corrupt("an index node whose last key is not its key above", at: old.ref)
        }
        let capacity = max(count + 8, min(context.fanout.index + 1, count + count / 2))
        let copy = try IndexNode.make(context, isInner: old.view.isInner, capacity: capacity)
        old.view.decodeSlots(from: IndexShape.firstEntry, into: copy.node.slots)
        let limit = context.nodes.limit(ofRefsIn: old.ref)
        guard copy.node.leads(count, below: limit) else {
            throw context.space.wrongShape(old.ref, "index node")
        }
        copy.node.fill(old.chunks, count)
        try context.nodes.free(old.view.slot(IndexShape.chunks).ref, NodeView(checked: old.chunks))
        try context.nodes.free(old.ref, old.view)
        slot.pointee = copy.ref.raw
        return copy.node
    }

    /// Searches one level of the trie for the leaf that `chunk` belongs to. Makes all nodes on the
    /// path writable and appends them to `path`.
    ///
    /// - Parameter isNew: whether the chunk will be added, so that keys in parents are updated.
    @inline(__always)
    func makePathWritable(
        _ chunk: Int32, level: RefSlot, isNew: Bool
    ) throws(RealmError) -> (slot: RefSlot, leaf: IndexNode) {
        let node = try makeWritable(level, last: nil)
        return node.isInner ? try descend(chunk, level, node, isNew) : (level, node)
    }

    private func descend(
        _ chunk: Int32, _ level: RefSlot, _ root: IndexNode, _ isNew: Bool
    ) throws(RealmError) -> (slot: RefSlot, leaf: IndexNode) {
        var (slot, node) = (level, root)
        let base = path.count
        while node.isInner {
            guard path.count - base < Self.maximumDepth else { throw tooDeep(Ref(slot.pointee)) }
            let i = min(node.lowerBound(chunk), node.count - 1)
            path.append(Step(slot: slot, child: i))
            let below = node.slots + i
            let child = try makeWritable(below, last: node.chunks[i])
            if isNew, chunk > node.chunks[i] { node.chunks[i] = chunk }
            (slot, node) = (below, child)
        }
        return (slot, node)
    }

    /// Maximum number of levels. Valid files need fewer; the limit ends walks in damaged files with
    /// cycles.
    static let maximumDepth = 32

    func tooDeep(_ ref: Ref) -> RealmError {
        .corrupt("an index node deeper than \(Self.maximumDepth) levels", at: ref)
    }

    /// Returns the node at `slot`. Copies it to a larger node if it has no room for `count`
    /// entries.
    @inline(__always)
    func ensureCapacity(_ slot: RefSlot, for count: Int) throws(RealmError) -> IndexNode {
        let node = IndexNode(context.slab, Ref(slot.pointee))
        return count <= node.capacity ? node : try grown(slot, node, count)
    }

    @inline(never)
    private func grown(
        _ slot: RefSlot, _ node: IndexNode, _ count: Int
    ) throws(RealmError) -> IndexNode {
        // Most nodes are small and stay small. A node that has outgrown a quarter of the maximum
        // gets the maximum capacity.
        let full = context.fanout.index + 1
        let capacity = max(count, count > full / 4 ? full : 2 * count)
        let larger = try IndexNode.make(context, isInner: node.isInner, capacity: capacity)
        larger.node.append(node, 0..<node.count)
        slot.pointee = larger.ref.raw
        return larger.node
    }

    /// Makes a leaf of the trie with one entry.
    func newLeaf(_ chunk: Int32, _ slot: UInt64) throws(RealmError) -> Ref {
        let leaf = try IndexNode.make(context, isInner: false, capacity: 3)
        leaf.node.insert(chunk, slot, at: 0)
        return leaf.ref
    }

    // MARK: Splitting

    /// Splits the node at `slot`, which has too many entries after an insertion at index `i`. If
    /// the new entry is the last one, it alone moves to the new node, because appends are likely to
    /// follow.
    ///
    /// - Parameter level: slot with the root of the level, where `path` begins.
    func split(_ slot: RefSlot, after i: Int, level: RefSlot) throws(RealmError) {
        let node = IndexNode(context.slab, Ref(slot.pointee))
        let count = node.count
        let cut = i == count - 1 ? i : count / 2
        let right = try IndexNode.make(
            context, isInner: node.isInner, capacity: max(count - cut, context.fanout.index + 1))
        right.node.append(node, cut..<count)
        node.truncate(to: cut)
        guard let step = path.popLast() else {
            return try growRoot(level, node, right.ref, right.node.lastChunk)
        }
        IndexNode(context.slab, Ref(step.slot.pointee)).chunks[step.child] = node.lastChunk
        try adopt(right.ref, right.node.lastChunk, step, level: level)
    }

    private func adopt(
        _ sibling: Ref, _ last: Int32, _ step: Step, level: RefSlot
    ) throws(RealmError) {
        let above = IndexNode(context.slab, Ref(step.slot.pointee))
        let node = try ensureCapacity(step.slot, for: above.count + 1)
        node.insert(last, sibling.raw, at: step.child + 1)
        if node.count > context.fanout.index {
            try split(step.slot, after: step.child + 1, level: level)
        }
    }

    private func growRoot(
        _ level: RefSlot, _ left: IndexNode, _ right: Ref, _ last: Int32
    ) throws(RealmError) {
        let root = try IndexNode.make(context, isInner: true, capacity: 8)
        root.node.insert(left.lastChunk, level.pointee, at: 0)
        root.node.insert(last, right.raw, at: 1)
        level.pointee = root.ref.raw
    }
}
