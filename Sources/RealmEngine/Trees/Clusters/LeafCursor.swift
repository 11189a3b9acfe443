/// The leaves of a table in the order of their keys: the one way to go over them.
///
/// They are taken from a directory where earlier queries have found them, and found by a walk over the
/// tree otherwise, which checks depth, key order and object counts on the way. Confined to its
/// snapshot's thread.
package struct LeafCursor {
    private struct Frame {
        let inner: InnerCluster
        var child: Int
        /// One past the last child that is visited.
        let end: Int
        /// Objects before this node's.
        let start: Int
        /// All children are visited.
        let isWhole: Bool

        init(_ inner: InnerCluster, _ children: Range<Int>? = nil, start: Int) {
            self.inner = inner
            self.start = start
            let all = 0..<inner.childCount
            (child, end) = ((children ?? all).lowerBound, (children ?? all).upperBound)
            isWhole = children == nil || children == all
        }
    }

    /// What the leaves are found in, and what they are read in.
    private let space: NodeSpace
    private let reader: NodeSpace
    /// Of a walk that is metered by itself.
    private var meter: ReadBudget?
    /// The leaves of a directory, and the next of them.
    private var kept: UnsafeBufferPointer<ClusterLeaf>?
    private var place = 0
    private(set) var directory: LeafDirectory?

    private var pending: (ref: Ref, base: UInt64)?
    /// The innermost open node; those around it are in `stack`.
    private var frame: Frame?
    private var stack: [Frame] = []
    private var lastKey: UInt64?
    /// Objects still to be skipped before the next leaf.
    private var toSkip = 0
    private var seen = 0
    /// Position of the first object of the leaf last returned.
    private(set) var position = 0

    private init(_ space: NodeSpace, readIn reader: NodeSpace) {
        self.space = space
        self.reader = reader
    }

    /// A walk over `tree`, beginning with the leaf that holds position `skipping`.
    init(_ tree: ClusterTree, skipping position: Int = 0) {
        self.init(tree.space, readIn: tree.space)
        pending = tree.root.isNone ? nil : (tree.root, 0)
        toSkip = position
    }

    /// A walk with a meter of its own, so that a damaged tree ends in an error; `reader` meters what is
    /// read of the leaves.
    init(metered tree: ClusterTree, readIn reader: NodeSpace) {
        let meter = ReadBudget(tree.space)
        self.init(meter.space, readIn: reader)
        self.meter = meter
        pending = tree.root.isNone ? nil : (tree.root, 0)
    }

    /// The leaves of a directory.
    init(_ directory: LeafDirectory, readIn reader: NodeSpace) {
        self.init(reader, readIn: reader)
        kept = directory.leaves
        self.directory = directory
    }

    /// The leaves of a stretch of a tree.
    init(_ stretch: LeafRange, _ space: NodeSpace) throws(RealmError) {
        self.init(space, readIn: space)
        let inner = try InnerCluster(
            space, stretch.parent, node: try space.node(stretch.parent), base: stretch.base)
        frame = Frame(inner, stretch.children, start: 0)
    }

    /// The next leaf, nil at the end. Throws `corrupt`.
    mutating func next() throws(RealmError) -> ClusterLeaf? {
        var leaf: ClusterLeaf
        if let kept {
            guard place < kept.count else { return nil }
            leaf = kept[place]
            place &+= 1
        } else {
            guard let found = try walk() else { return nil }
            leaf = found
        }
        leaf.space = reader
        return leaf
    }

    /// Begins anew; false when the leaves have to be found again.
    mutating func restart() -> Bool {
        place = 0
        return kept != nil
    }

    /// What has been met: for comparing a stretch with its neighbours and with the tree.
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

    /// Takes the next child of the innermost open node; whole subtrees may be skipped.
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

    /// Checks a leaf against its neighbours and its parent.
    private mutating func checkPlace(_ leaf: ClusterLeaf) throws(RealmError) {
        if let depth = frame?.inner.depth, depth != 1 || leaf.count == 0 {
            throw .corrupt("an empty cluster leaf, or one at the wrong depth", at: leaf.ref)
        }
        try leaf.checkOrder()
        let first = UInt64(bitPattern: leaf.key(0).raw)
        if let lastKey, first <= lastKey { throw disorder(leaf.ref) }
        lastKey = UInt64(bitPattern: leaf.key(leaf.count - 1).raw)
    }

    /// Checks the objects met below a node against the number it announces, at every child, so that a
    /// tree which leads to itself ends. A stretch has not all of them.
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

/// The meter of one walk.
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
