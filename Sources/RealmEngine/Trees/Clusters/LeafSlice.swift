/// Selected rows of a leaf, as a unit of work for one worker. May be read from any snapshot of the
/// version.
package struct LeafSlice: Sendable {
    let ref: Ref
    let base: UInt64
    /// Index of the leaf's first object in table order; 0 for a leaf found by a search index.
    package let position: Int
    /// Number of objects in the leaf.
    package let count: Int
    /// The selected rows.
    let among: Selection

    init(_ leaf: ClusterLeaf, position: Int = 0, among: Selection? = nil) {
        ref = leaf.ref
        base = leaf.base
        count = leaf.count
        self.position = position
        self.among = among ?? Selection(first: leaf.count)
    }

    /// Opens the leaf for reading in `space`.
    func leaf(_ lookup: NodeSpace, readIn space: NodeSpace) throws(RealmError) -> ClusterLeaf {
        try ClusterLeaf(space, ref, node: try lookup.node(ref), base: base)
    }
}

extension LeafCursor {
    /// Returns the next leaf with all its rows; nil at the end. Throws `corrupt`.
    package mutating func nextPart() throws(RealmError) -> LeafSlice? {
        guard let leaf = try next() else { return nil }
        return LeafSlice(leaf, position: position)
    }
}
