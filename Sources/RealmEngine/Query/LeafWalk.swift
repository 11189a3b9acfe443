/// The leaves of one table for a query, as earlier queries found them or by walking over the tree.
/// The walk is metered by itself, so a damaged tree ends in an error; what is read of the leaves is
/// metered by the pass.
final class LeafSource {
    private let pass: NodeSpace
    private let directory: LeafDirectory?
    private let walk: LeafWalk?
    private var place = 0

    /// - Parameters:
    ///   - pass: the space the leaves' columns are read in.
    ///   - term: what is going to be asked about the leaves.
    init(_ snapshot: Snapshot, _ table: TablePlace, _ pass: NodeSpace, for term: QueryTerm) {
        self.pass = pass
        directory = snapshot.leafDirectory(table.key, table.root)
        walk = directory == nil ? LeafWalk(snapshot.lookup, table, pass) : nil
        if let directory { term.attach(directory) }
    }

    /// The next leaf that holds objects, nil at the end.
    func next() throws(RealmError) -> ClusterLeaf? {
        guard let directory else { return try walk?.next() }
        guard place < directory.count else { return nil }
        place &+= 1
        return directory.leaf(place &- 1, in: pass)
    }

    /// Begins anew; false when the leaves have to be found again.
    func restart() -> Bool {
        place = 0
        return directory != nil
    }

    /// Number of rows of all leaves for which `term`, the one announced, holds.
    func count(_ term: QueryTerm) throws(RealmError) -> Int {
        if let directory { return try term.count(directory, pass) }
        var total = 0
        while let leaf = try next() {
            total &+= try term.match(leaf, Selection(first: leaf.count)).count
        }
        return total
    }
}

/// A walk over the leaves of one table.
private final class LeafWalk {
    private let meter: UnsafeMutablePointer<WalkState>
    private let pass: NodeSpace
    private var leaves: ClusterTree.Leaves

    /// - Parameter pass: the space the leaves' columns are read in.
    init(_ space: NodeSpace, _ table: TablePlace, _ pass: NodeSpace) {
        self.pass = pass
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
        return try ClusterLeaf(pass, leaf.ref, node: leaf.node, base: leaf.base)
    }
}

/// Metered views for the columns and collections a query reads, so that damaged bytes end in an
/// error.
///
/// The values and collections of an object are its own. Those of the objects a query walks over are
/// therefore, all together, no larger than the file, each time the query looks at them; their meter
/// runs through the whole pass. A collection behind a link is legitimately read once for every link:
/// there each visit alone is bounded.
final class VisitMeter {
    /// The meter of the pass, and the one of a visit behind a link.
    private let meters: UnsafeMutablePointer<WalkState>
    private let source: NodeSpace
    /// How many times a pass looks at every column.
    private let looks: Int

    init(_ space: NodeSpace, looks: Int) {
        source = space.unmetered
        self.looks = max(1, looks)
        meters = .allocate(capacity: 2)
        meters.initialize(repeating: space.state.pointee, count: 2)
        beginPass()
    }

    deinit { meters.deallocate() }

    /// The objects of the class queried are about to be walked over, once more.
    func beginPass() {
        meters.pointee = source.state.pointee
        pass.resetBudget()
        meters.pointee.budget = meters.pointee.budget.multipliedSaturating(by: looks)
    }

    /// For what belongs to the objects walked over.
    var pass: NodeSpace { NodeSpace(base: source.base, limit: source.limit, state: meters) }

    /// For one collection behind a link. The space given out before stays usable and shares the
    /// meter.
    func beginVisit() -> NodeSpace {
        (meters + 1).pointee = source.state.pointee
        let space = NodeSpace(base: source.base, limit: source.limit, state: meters + 1)
        space.resetBudget()
        return space
    }

    /// For a collection of `spot`.
    func space(for spot: Spot) -> NodeSpace { spot.isLinked ? beginVisit() : pass }
}

extension Int {
    fileprivate func multipliedSaturating(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? WalkState.endless : product
    }
}

extension BoundCondition {
    /// How often a pass looks at a column at most: once for every operand and every hop.
    var looks: Int {
        switch self {
        case .constant: 0
        case .and(let children), .or(let children): children.reduce(0) { $0 + $1.looks }
        case .not(let child): child.looks
        case .test: 1
        case .comparison(let comparison): comparison.left.looks + comparison.right.looks
        case .fullText(let search): 1 + search.path.hops.count
        case .geoWithin(let geo): 3 + geo.path.hops.count
        }
    }
}

extension BoundOperand {
    fileprivate var looks: Int {
        switch kind {
        case .subquery(let subquery): 1 + subquery.path.hops.count + subquery.looks
        case .path(let path), .count(let path), .size(let path), .typeOf(let path):
            1 + path.hops.count
        case .aggregate(let aggregate): 2 + aggregate.path.hops.count
        case .arithmetic(let first, let terms):
            terms.reduce(first.looks) { $0 + $1.operand.looks }
        case .constant: 0
        }
    }
}
