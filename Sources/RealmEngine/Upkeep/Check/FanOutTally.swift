/// Detects whether the cluster trees of a version may have been built with a fan-out of four.
///
/// Nodes usually have up to 256 elements. Test builds of the reference engine make nodes of up to
/// four elements. The file does not store the fan-out, but a reader needs it. If an inner node
/// stores no key offsets, the keys of child `i` begin at `i` times the fan-out to the power of the
/// node's depth.
struct FanOutTally {
    private static let smallCount = 4
    /// Bits of a key per level in trees of four elements per node.
    static let smallShift: UInt64 = 2

    private var isSmall = true
    /// Ref of the first inner node that stores no key offsets of its children; nil if there is
    /// none.
    private var node: Ref?

    /// Ref of an inner node without stored key offsets, if no node has more than four elements. The
    /// trees may then have a fan-out of four, which gives other object keys than the usual fan-out
    /// of 256. Nil if all inner nodes store offsets, or if some node has more than four elements.
    var smallTree: Ref? { isSmall ? node : nil }

    mutating func add(_ leaf: ClusterLeaf) {
        if leaf.count > Self.smallCount { isSmall = false }
    }

    mutating func add(_ inner: InnerCluster) {
        if inner.childCount > Self.smallCount { isSmall = false }
        if inner.hasNoOffsets { node = node ?? inner.ref }
    }
}
