/// Iterates over the leaves of a table in key order.
///
/// Reads the leaves from a `LeafDirectory` if there is one. Otherwise walks the tree and checks
/// depth, key order and object counts. Confined to the thread of its snapshot.
package struct LeafCursor {
    private struct Frame {
        let inner: InnerCluster
        var child: Int
        /// Index after the last child to visit.
        let end: Int
        /// Number of objects in the leaves before the subtree of this inner node.
        let start: Int
        /// Whether all children are visited, not just a range of them.
        let isWhole: Bool

        init(_ inner: InnerCluster, _ children: Range<Int>? = nil, start: Int) {
            self.inner = inner
            self.start = start
            let all = 0..<inner.childCount
            (child, end) = ((children ?? all).lowerBound, (children ?? all).upperBound)
            isWhole = children == nil || children == all
        }
    }

    /// `space` opens the tree's nodes; `reader` is the space in which the caller reads the leaves.
    private let space: NodeSpace
    private let reader: NodeSpace
    /// The separate read budget of this walk; nil if it uses the budget of `space`.
    private var meter: ReadBudget?
    /// The leaves of the leaf directory, and in `place` the index of the next one; nil for a walk
    /// over a tree.
    private var cachedLeaves: UnsafeBufferPointer<ClusterLeaf>?
    private var place = 0
    private(set) var directory: LeafDirectory?

    private var pending: (ref: Ref, base: UInt64)?
    /// The deepest open inner node; its ancestors are in `stack`.
    private var frame: Frame?
    private var stack: [Frame] = []
    private var lastKey: UInt64?
    /// Number of objects to skip. The first returned leaf contains the object that follows the
    /// skipped ones.
    private var toSkip = 0
    private var seen = 0
    /// Index in table order of the first object in the last returned leaf.
    private(set) var position = 0

    private init(_ space: NodeSpace, readIn reader: NodeSpace) {
        self.space = space
        self.reader = reader
    }

    /// Walks `tree` from the leaf that contains the object at index `skipping` on.
    init(_ tree: ClusterTree, skipping position: Int = 0) {
        self.init(tree.space, readIn: tree.space)
        pending = tree.root.isNone ? nil : (tree.root, 0)
        toSkip = position
    }

    /// Walks a tree with a read budget of its own, so that a walk in a damaged tree ends. What the
    /// caller reads from the leaves counts against the budget of `reader`.
    init(metered tree: ClusterTree, readIn reader: NodeSpace) {
        let meter = ReadBudget(tree.space)
        self.init(meter.space, readIn: reader)
        self.meter = meter
        pending = tree.root.isNone ? nil : (tree.root, 0)
    }

    /// Iterates over the leaves of a leaf directory. The caller reads them in the space `reader`.
    init(_ directory: LeafDirectory, readIn reader: NodeSpace) {
        self.init(reader, readIn: reader)
        cachedLeaves = directory.leaves
        self.directory = directory
    }

    /// Walks the leaves in `stretch`, a range of neighbouring leaves of a tree.
    init(_ stretch: LeafRange, _ space: NodeSpace) throws(RealmError) {
        self.init(space, readIn: space)
        let inner = try InnerCluster(
            space, stretch.parent, node: try space.node(stretch.parent), base: stretch.base)
        frame = Frame(inner, stretch.children, start: 0)
    }

    /// Returns the next leaf; nil at the end. Throws `corrupt`.
    mutating func next() throws(RealmError) -> ClusterLeaf? {
        var leaf: ClusterLeaf
        if let cachedLeaves {
            guard place < cachedLeaves.count else { return nil }
            leaf = cachedLeaves[place]
            place &+= 1
        } else {
            guard let found = try walk() else { return nil }
            leaf = found
        }
        leaf.space = reader
        return leaf
    }

    /// Restarts the iteration over a leaf directory. Returns false for a walk over a tree, which
    /// cannot be restarted.
    mutating func restart() -> Bool {
        place = 0
        return cachedLeaves != nil
    }

    /// Number of objects visited so far, and the last key. A caller that scans the ranges of a
    /// table separately checks with them that the keys ascend and the counts add up.
    var met: (objects: Int, lastKey: UInt64) { (seen, lastKey ?? 0) }
}

// MARK: - Walking

extension LeafCursor {
    private mutating func walk() throws(RealmError) -> ClusterLeaf? {
        while true {
            if pending == nil, try !advance() { return nil }
            guard let (ref, base) = pending else { return nil }
            pending = nil
            let node = try space.node(ref)
            if node.isInner {
                try push(try InnerCluster(space, ref, node: node, base: base), ref)
                continue
            }
            let leaf = try ClusterLeaf(space, ref, node: node, base: base)
            if leaf.count == 0, frame == nil { return nil }
            try checkPlace(leaf)
            position = seen
            seen += leaf.count
            if seen <= toSkip { continue }
            return leaf
        }
    }

    /// Number of children between the current one and the one that is prefetched.
    private static var fetchedAhead: Int { 4 }

    /// Moves to the next child of the innermost open node, skipping whole subtrees if possible.
    private mutating func advance() throws(RealmError) -> Bool {
        while let child = frame?.child {
            let isDone = child >= frame!.end
            try checkCount(isDone: isDone)
            if isDone {
                frame = stack.popLast()
                continue
            }
            let ref = try frame!.inner.ref(child)
            let base = frame!.inner.base &+ frame!.inner.offset(child)
            if let lastKey, base <= lastKey { throw disorder(ref) }
            frame!.child = child + 1
            frame!.inner.prefetch(child + Self.fetchedAhead)
            if seen < toSkip {
                let count = try ClusterTree.count(space, try space.node(ref), ref)
                if seen + count <= toSkip {
                    seen += count
                    continue
                }
            }
            pending = (ref, base)
            return true
        }
        return false
    }

    private mutating func push(_ inner: InnerCluster, _ ref: Ref) throws(RealmError) {
        if let parent = frame, parent.inner.depth != inner.depth + 1 {
            throw .corrupt("a cluster tree of uneven depth", at: ref)
        }
        guard stack.count < ClusterTree.maximumDepth else {
            throw .corrupt("a cluster tree too deep", at: ref)
        }
        if let frame { stack.append(frame) }
        frame = Frame(inner, start: seen)
    }

    /// Throws `corrupt` if the leaf is empty or at the wrong depth, or if its keys do not ascend
    /// from the last key of the previous leaf.
    private mutating func checkPlace(_ leaf: ClusterLeaf) throws(RealmError) {
        if let depth = frame?.inner.depth, depth != 1 || leaf.count == 0 {
            throw .corrupt("an empty cluster leaf, or one at the wrong depth", at: leaf.ref)
        }
        try leaf.checkOrder()
        let first = UInt64(bitPattern: leaf.key(0).raw)
        if let lastKey, first <= lastKey { throw disorder(leaf.ref) }
        lastKey = UInt64(bitPattern: leaf.key(leaf.count - 1).raw)
    }

    /// Throws `corrupt` if more objects were visited in an inner node than its object count says;
    /// so walks around cycles end. After the last child both numbers must be equal, unless only a
    /// range of children is visited.
    @inline(__always)
    private func checkCount(isDone: Bool) throws(RealmError) {
        let met = seen - frame!.start
        let announced = frame!.inner.count
        guard met == announced || met < announced && !(isDone && frame!.isWhole) else {
            throw miscounted(met)
        }
    }

    @inline(never)
    private func miscounted(_ met: Int) -> RealmError {
        .corrupt("\(met) objects where \(frame!.inner.count) are announced", at: frame!.inner.ref)
    }

    @inline(never)
    private func disorder(_ ref: Ref) -> RealmError {
        .corrupt("object keys do not ascend between cluster leaves", at: ref)
    }
}

/// Node space with its own read budget, which limits the bytes that one walk over a tree may read.
/// So a walk in a damaged file ends. Reads the same file as the space from which it was made.
private final class ReadBudget {
    private let state: UnsafeMutablePointer<ReadState>
    let space: NodeSpace

    init(_ source: NodeSpace) {
        state = .allocate(capacity: 1)
        state.initialize(to: source.state.pointee)
        space = NodeSpace(base: source.base, limit: source.limit, state: state)
        space.resetBudget()
    }

    deinit { state.deallocate() }
}
