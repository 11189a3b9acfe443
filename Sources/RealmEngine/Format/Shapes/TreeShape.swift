/// Slots of an inner node of a B+tree: offsets, then the children, and last the number of elements
/// in the subtree (object format 4.1).
enum TreeShape {
    /// The tagged number of elements that each child except the last has, in compact form.
    /// Otherwise the ref of an array with the end index of each child except the last.
    static let offsets = 0
    static let firstChild = 1

    /// Slot of child `i`.
    @inline(__always) static func child(_ i: Int) -> Int { i &+ firstChild }

    /// Slot with the number of elements, in a node with `count` slots.
    @inline(__always) static func total(_ count: Int) -> Int { count &- 1 }

    /// Number of slots of a node with `children` children.
    @inline(__always) static func count(_ children: Int) -> Int { children &+ 2 }

    /// Number of children of a node with `count` slots.
    @inline(__always) static func childCount(_ count: Int) -> Int { count &- 2 }

    /// Number of elements in the array of offsets, for a node with `count` slots.
    @inline(__always) static func endCount(_ count: Int) -> Int { count &- 3 }

    /// Number of slots of a node with one child.
    static let minimumCount = 3
    /// Maximum number of children of a node, and of elements of a leaf.
    static let maximumCount = 1000
}
