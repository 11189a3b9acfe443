/// Selected rows of one leaf, as a unit of work for one worker. Any snapshot of the same version
/// can read it.
package struct LeafSlice: Sendable {
    let ref: Ref
    let base: UInt64
    /// Index in table order of the leaf's first object; 0 for a leaf that a search index found.
    package let position: Int
    /// Number of objects in the leaf, selected or not.
    package let count: Int
    /// Rows to visit. Other rows of the leaf are not selected, and readers skip them.
    let among: Selection

    init(_ leaf: ClusterLeaf, position: Int = 0, among: Selection? = nil) {
        ref = leaf.ref
        base = leaf.base
        count = leaf.count
        self.position = position
        self.among = among ?? Selection(first: leaf.count)
    }

    /// Opens the leaf with `lookup`, for reading its columns in `space`.
    func leaf(_ lookup: NodeSpace, readIn space: NodeSpace) throws(RealmError) -> ClusterLeaf {
        try ClusterLeaf(space, ref, node: try lookup.node(ref), base: base)
    }
}

extension LeafCursor {
    /// Returns the next leaf as a slice with all its rows; nil at the end. Throws `corrupt`.
    package mutating func nextPart() throws(RealmError) -> LeafSlice? {
        guard let leaf = try next() else { return nil }
        return LeafSlice(leaf, position: position)
    }
}
