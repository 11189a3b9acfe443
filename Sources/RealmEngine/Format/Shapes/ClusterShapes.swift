/// Slots of a cluster leaf (object format 2.1).
enum ClusterLeafShape {
    /// Number of objects, whose keys are consecutive from 0 on, or the ref of an array of keys.
    static let keys = 0

    /// Slot of the column leaf of `leafIndex`.
    @inline(__always) static func column(_ leafIndex: Int) -> Int { leafIndex &+ 1 }

    /// Leaf index of the column in `slot`.
    @inline(__always) static func leafIndex(_ slot: Int) -> Int { slot &- 1 }

    /// Number of slots of a leaf with the leaf indexes below `leafIndexes`.
    @inline(__always) static func count(_ leafIndexes: Int) -> Int { leafIndexes &+ 1 }

    /// Number of slots of a leaf without columns.
    static let minimumCount = 1
    static let maximumObjectCount = 256
}

/// Slots of an inner node of a cluster tree (object format 2.2).
enum InnerClusterShape {
    /// Ref of an array of the children's key offsets, or 0 if they follow from the depth.
    static let offsets = 0
    /// Number of levels below this node.
    static let depth = 1
    /// Number of objects below this node.
    static let objects = 2
    static let firstChild = 3

    /// Slot of child `i`.
    @inline(__always) static func child(_ i: Int) -> Int { i &+ firstChild }

    /// Number of slots of a node with `children`.
    @inline(__always) static func count(_ children: Int) -> Int { children &+ firstChild }

    /// Number of children of a node with `count` slots.
    @inline(__always) static func childCount(_ count: Int) -> Int { count &- firstChild }

    /// Number of slots of a node with one child.
    static let minimumCount = 4
    static let maximumChildCount = 256
}
