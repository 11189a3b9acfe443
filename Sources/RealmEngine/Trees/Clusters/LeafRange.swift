/// Some neighbouring leaves below one inner node: a part of a table that a worker finds its way
/// through by itself. None of the leaves was looked at yet.
struct LeafRange: Sendable {
    /// The inner node, and the offset of its keys.
    let parent: Ref
    let base: UInt64
    let children: Range<Int>
    /// Where the keys of the first leaf may begin.
    let start: UInt64
    /// The objects announced below the inner node, when this is its last stretch.
    let announced: Int?
}

extension LeafRange {
    /// The leaves of a tree in stretches of at most `size`, in table order; none when the tree has
    /// no inner nodes. Opens inner nodes only.
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

    /// The depth shrinks with every level, so a tree that leads to itself ends.
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
