/// A place in a cluster tree that moves on by whole subtrees or by single objects, for walking two
/// versions of a tree side by side.
///
/// At any time it stands before a subtree not yet opened, at an object of an open leaf, or at the
/// end. Work is charged to the walk of the space.
struct ClusterFrontier {
    private struct Frame {
        let inner: InnerCluster
        var child: Int
    }

    /// A subtree not yet opened.
    struct Subtree {
        let ref: Ref
        /// The smallest key it can hold.
        let base: UInt64
        /// 0 for a leaf.
        let depth: Int
    }

    private let space: NodeSpace
    private var stack: [Frame] = []
    private(set) var subtree: Subtree?
    /// The open leaf; nil before a subtree and at the end.
    private(set) var leaf: ClusterLeaf?
    private(set) var row = 0

    init(_ tree: ClusterTree) throws(RealmError) {
        space = tree.space
        if tree.root.isNone { return }
        let node = try space.node(tree.root)
        let depth =
            node.isInner ? try InnerCluster(space, tree.root, node: node, base: 0).depth : 0
        subtree = Subtree(ref: tree.root, base: 0, depth: depth)
    }

    var isAtEnd: Bool { subtree == nil && leaf == nil }

    /// Key of the object the frontier stands at, in the order of the tree.
    var key: UInt64 { UInt64(bitPattern: leaf!.key(row).raw) }

    /// Opens the subtree ahead: on to its first child or its first object.
    mutating func open() throws(RealmError) {
        guard let subtree else { return }
        self.subtree = nil
        let node = try space.node(subtree.ref)
        guard node.isInner == (subtree.depth > 0) else {
            throw .corrupt("a cluster tree of uneven depth", at: subtree.ref)
        }
        if node.isInner {
            let inner = try InnerCluster(space, subtree.ref, node: node, base: subtree.base)
            guard inner.depth == subtree.depth else {
                throw .corrupt("a cluster tree of uneven depth", at: subtree.ref)
            }
            stack.append(Frame(inner: inner, child: 0))
            return try advance()
        }
        let opened = try ClusterLeaf(space, subtree.ref, node: node, base: subtree.base)
        try opened.checkOrder()
        if opened.count == 0 { return try advance() }
        leaf = opened
        row = 0
    }

    /// Passes over the subtree ahead.
    mutating func skip() throws(RealmError) {
        subtree = nil
        try advance()
    }

    /// Passes over one object.
    mutating func nextRow() throws(RealmError) {
        row += 1
        guard row == leaf!.count else { return }
        leaf = nil
        try advance()
    }

    /// On to the next child of the innermost open node that has one left.
    private mutating func advance() throws(RealmError) {
        while var frame = stack.popLast() {
            if frame.child >= frame.inner.childCount { continue }
            let (inner, child) = (frame.inner, frame.child)
            frame.child += 1
            stack.append(frame)
            subtree = Subtree(
                ref: try inner.ref(child), base: inner.base &+ inner.offset(child),
                depth: inner.depth - 1)
            return
        }
    }
}
