/// Slots of a cluster leaf (object format 2.1).
enum ClusterLeafShape {
    /// The ref of an array of keys; or the tagged number of objects if their keys are consecutive,
    /// starting with 0.
    static let keys = 0

    /// Slot with the column at `leafIndex`.
    @inline(__always) static func column(_ leafIndex: Int) -> Int { leafIndex &+ 1 }

    /// Leaf index of the column in `slot`.
    @inline(__always) static func leafIndex(_ slot: Int) -> Int { slot &- 1 }

    /// Number of slots of a leaf whose columns have the leaf indexes 0 to `leafIndexes - 1`. The
    /// first slot is not a column.
    @inline(__always) static func count(_ leafIndexes: Int) -> Int { leafIndexes &+ 1 }

    /// Number of slots of a leaf without columns.
    static let minimumCount = 1
    static let maximumObjectCount = 256
}

/// Slots of an inner node of a cluster tree (object format 2.2).
enum InnerClusterShape {
    /// Slot of the ref of an array with the key offset of each child; 0 if the offsets can be
    /// computed from the depth.
    static let offsets = 0
    /// Slot of the number of levels below this inner node, as a tagged number.
    static let depth = 1
    /// Slot of the number of objects in the subtree of this node, as a tagged number.
    static let objects = 2
    static let firstChild = 3

    /// Slot of child `i`.
    @inline(__always) static func child(_ i: Int) -> Int { i &+ firstChild }

    /// Number of slots of a node with `children` children.
    @inline(__always) static func count(_ children: Int) -> Int { children &+ firstChild }

    /// Number of children of a node with `count` slots.
    @inline(__always) static func childCount(_ count: Int) -> Int { count &- firstChild }

    /// Number of slots of a node with one child.
    static let minimumCount = 4
    static let maximumChildCount = 256
}
