/// A range of neighbouring leaves with the same parent, which one worker scans. Only the parent has
/// been read.
struct LeafRange: Sendable {
    /// Ref of the inner node that is the parent of the leaves, and the key to which the key offsets
    /// in this node are added.
    let parent: Ref
    let base: UInt64
    let children: Range<Int>
    /// Lower bound of the keys in the first leaf.
    let start: UInt64
    /// Number of objects below `parent` according to `parent`, for comparison with the sum over all
    /// `LeafRange`s of this parent. Set only in the range with the last child of `parent`; nil in
    /// the ranges before.
    let announced: Int?
}

extension LeafRange {
    /// Divides the leaves of a tree into ranges of at most `size` leaves, in table order. Opens
    /// inner nodes only. Returns an empty array if the root is a leaf.
    static func all(
        of tree: ClusterTree, size: Int
    ) throws(RealmError) -> [LeafRange] {
        if tree.root.isNone { return [] }
        let node = try tree.space.node(tree.root)
        guard node.isInner else { return [] }
        var found: [LeafRange] = []
        let root = try InnerCluster(tree.space, tree.root, node: node, base: 0)
        try gather(below: root, size, &found)
        return found
    }

    /// Appends the ranges of all leaves below `inner` to `found`. Checks the depth of each inner
    /// node, which is one less than its parent's; so a cycle of nodes in a damaged file ends the
    /// recursion.
    private static func gather(
        below inner: InnerCluster, _ size: Int, _ found: inout [LeafRange]
    ) throws(RealmError) {
        if inner.depth == 1 {
            for start in stride(from: 0, to: inner.childCount, by: size) {
                let end = min(start + size, inner.childCount)
                found.append(
                    LeafRange(
                        parent: inner.ref, base: inner.base, children: start..<end,
                        start: inner.base &+ inner.offset(start),
                        announced: end == inner.childCount ? inner.count : nil))
            }
            return
        }
        var objects = 0
        for child in 0..<inner.childCount {
            let ref = try inner.ref(child)
            let node = try inner.space.node(ref)
            guard node.isInner else { throw inner.space.wrongShape(ref, "inner cluster node") }
            let next = try InnerCluster(
                inner.space, ref, node: node, base: inner.base &+ inner.offset(child))
            guard next.depth == inner.depth - 1 else {
                throw inner.space.wrongShape(ref, "inner cluster node")
            }
            objects &+= next.count
            try gather(below: next, size, &found)
        }
        guard objects == inner.count else {
            throw inner.space.wrongShape(inner.ref, "inner cluster node")
        }
    }
}
