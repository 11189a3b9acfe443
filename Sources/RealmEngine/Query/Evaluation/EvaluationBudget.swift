/// Metered views for the columns and collections a query reads, so that damaged bytes end in an
/// error.
///
/// The values and collections of an object are its own. Those of the objects a query walks over are
/// therefore, all together, no larger than the file, each time the query looks at them; their meter
/// runs through the whole pass. A collection behind a link is legitimately read once for every link:
/// there each visit alone is bounded.
final class EvaluationBudget {
    /// The meter of the pass, and the one of a visit behind a link.
    private let meters: UnsafeMutablePointer<ReadState>
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
    func space(for spot: RowLocation) -> NodeSpace { spot.isLinked ? beginVisit() : pass }
}

extension Int {
    fileprivate func multipliedSaturating(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? ReadState.endless : product
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
    var looks: Int {
        switch kind {
        case .subquery(let subquery): 1 + subquery.path.hops.count + subquery.looks
        case .path(let path), .count(let path), .size(let path), .typeOf(let path):
            1 + path.hops.count
        case .aggregate(let aggregate): 2 + aggregate.path.hops.count
        case .function(_, let operand): operand.looks
        case .arithmetic(let first, let terms):
            terms.reduce(first.looks) { $0 + $1.operand.looks }
        case .constant: 0
        }
    }
}
