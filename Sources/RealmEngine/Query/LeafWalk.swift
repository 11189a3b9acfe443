/// The leaves of one table for a query. Finding them is metered, so a damaged tree ends in an error;
/// what is read of each is not, because a query looks at a column as often as it has terms.
final class LeafWalk {
    private let meter: UnsafeMutablePointer<WalkState>
    private let space: NodeSpace
    private var leaves: ClusterTree.Leaves

    init(_ space: NodeSpace, _ table: TablePlace) {
        self.space = space.unmetered
        meter = .allocate(capacity: 1)
        meter.initialize(to: space.state.pointee)
        let metered = NodeSpace(base: space.base, limit: space.limit, state: meter)
        metered.resetBudget()
        leaves = ClusterTree(space: metered, root: table.root).leaves()
    }

    deinit { meter.deallocate() }

    /// The next leaf that holds objects, nil at the end.
    func next() throws(RealmError) -> ClusterLeaf? {
        guard let leaf = try leaves.next() else { return nil }
        return try ClusterLeaf(space, leaf.ref, node: leaf.node, base: leaf.base)
    }
}

/// A metered view for visiting one collection: no visit reads more than the file holds.
final class VisitMeter {
    private let meter: UnsafeMutablePointer<WalkState>
    private let source: NodeSpace

    init(_ space: NodeSpace) {
        source = space.unmetered
        meter = .allocate(capacity: 1)
        meter.initialize(to: space.state.pointee)
    }

    deinit { meter.deallocate() }

    /// A space for one visit. The one given out before stays usable and shares the meter.
    func begin() -> NodeSpace {
        meter.pointee = source.state.pointee
        let space = NodeSpace(base: source.base, limit: source.limit, state: meter)
        space.resetBudget()
        return space
    }
}
