/// Largest sizes of the cluster nodes of a version, which reveal trees of another fan-out.
///
/// Nodes have up to 256 elements; test builds of the reference engine make nodes of up to four. A node
/// without offsets does not store the fan-out: the keys of child `i` begin at `i` times the fan-out to
/// the power of the node's depth.
struct FanOutTally {
    private static let smallCount = 4
    /// Bits of a key that each level takes in trees of four elements per node.
    static let smallShift: UInt64 = 2

    private var isSmall = true
    /// An inner node without offsets.
    private var node: Ref?

    /// An inner node whose keys depend on the fan-out; nil where there is none, or one of the nodes has
    /// more than four elements.
    var smallTree: Ref? { isSmall ? node : nil }

    mutating func add(_ leaf: ClusterLeaf) {
        if leaf.count > Self.smallCount { isSmall = false }
    }

    mutating func add(_ inner: InnerCluster) {
        if inner.childCount > Self.smallCount { isSmall = false }
        if inner.hasNoOffsets { node = node ?? inner.ref }
    }
}
