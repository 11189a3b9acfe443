/// Position in a cluster tree that advances by whole subtrees or by single objects. Used to compare
/// two versions of a tree.
///
/// The position is an unopened subtree, an object of an open leaf, or the end. Each opened node
/// counts against a read budget, which ends walks in cycles of damaged files.
struct ClusterFrontier {
    private struct Frame {
        let inner: InnerCluster
        var child: Int
    }

    /// The root of a subtree that has not been read yet.
    struct Subtree {
        let ref: Ref
        /// Smallest object key that the subtree can contain.
        let base: UInt64
        /// Number of inner levels of the subtree; 0 for a leaf.
        let depth: Int
    }

    private let space: NodeSpace
    private var stack: [Frame] = []
    private(set) var subtree: Subtree?
    /// The open leaf; nil if the position is a subtree or the end.
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

    /// Key of the current object, as an unsigned number. Cluster trees are sorted by it.
    var key: UInt64 { UInt64(bitPattern: leaf!.key(row).raw) }

    /// Opens the current subtree and moves to its first child or first object.
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

    /// Skips the current subtree.
    mutating func skip() throws(RealmError) {
        subtree = nil
        try advance()
    }

    /// Moves to the next object.
    mutating func nextRow() throws(RealmError) {
        row += 1
        guard row == leaf!.count else { return }
        leaf = nil
        try advance()
    }

    /// Moves to the next child of the innermost open node that has another child.
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
