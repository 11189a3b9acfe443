/// Some rows of a leaf: what workers share out among themselves, each to be read from any snapshot of
/// the version.
package struct LeafSlice: Sendable {
    let ref: Ref
    let base: UInt64
    /// Position of the leaf's first object in the table; 0 where an index led to the leaf.
    package let position: Int
    /// Objects in the leaf.
    package let count: Int
    /// The rows that are meant, or worth testing.
    let among: Selection

    init(_ leaf: ClusterLeaf, position: Int = 0, among: Selection? = nil) {
        ref = leaf.ref
        base = leaf.base
        count = leaf.count
        self.position = position
        self.among = among ?? Selection(first: leaf.count)
    }

    /// The leaf, to be read in `space`.
    func leaf(_ lookup: NodeSpace, readIn space: NodeSpace) throws(RealmError) -> ClusterLeaf {
        try ClusterLeaf(space, ref, node: try lookup.node(ref), base: base)
    }
}

extension LeafCursor {
    /// The next leaf as a whole, nil at the end. Throws `corrupt`.
    package mutating func nextPart() throws(RealmError) -> LeafSlice? {
        guard let leaf = try next() else { return nil }
        return LeafSlice(leaf, position: position)
    }
}
