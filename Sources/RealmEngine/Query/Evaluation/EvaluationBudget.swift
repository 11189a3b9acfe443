/// Limits on the bytes of columns and collections that a query reads (read budgets). In a file with
/// damaged bytes, a query then throws an error and does not loop for ever.
///
/// Values and collections of an object belong to that object only. A scan that reads each of them
/// once reads at most the size of the file, so one budget covers the whole scan. A collection of a
/// linked object, in contrast, may be read once per link to the object, so each visit has its own
/// budget.
final class EvaluationBudget {
    /// Two limits on the bytes that are read, so that cycles in a damaged file end. Index 0 is the
    /// limit for one scan of the queried class, index 1 for reading one collection of a linked
    /// object.
    private let meters: UnsafeMutablePointer<ReadState>
    private let source: NodeSpace
    /// Maximum number of times that one pass over the table may read each column of an object.
    private let maximumReads: Int

    init(_ space: NodeSpace, maximumReads: Int) {
        source = space.unmetered
        self.maximumReads = max(1, maximumReads)
        meters = .allocate(capacity: 2)
        meters.initialize(repeating: space.state.pointee, count: 2)
        beginPass()
    }

    deinit { meters.deallocate() }

    /// Resets the number of bytes that the scan may read to its full size. The limit ends endless
    /// reads in cycles of a damaged file. Called before each scan of the queried class.
    func beginPass() {
        meters.pointee = source.state.pointee
        pass.resetBudget()
        meters.pointee.budget = meters.pointee.budget.multipliedSaturating(by: maximumReads)
    }

    /// Node space for reading values of the scanned objects. The bytes read count against the read
    /// budget of the present scan.
    var pass: NodeSpace { NodeSpace(base: source.base, limit: source.limit, state: meters) }

    /// Returns a node space for reading one collection of a linked object, with a full read budget.
    /// The budget limits the bytes read, so that cycles in a damaged file end. Only one collection
    /// is read at a time: each call sets the common budget of all returned node spaces back to its
    /// full size.
    func beginVisit() -> NodeSpace {
        (meters + 1).pointee = source.state.pointee
        let space = NodeSpace(base: source.base, limit: source.limit, state: meters + 1)
        space.resetBudget()
        return space
    }

    /// Returns the node space for reading a collection of the object at `location`. For a linked
    /// object, the collection has its own read budget (maximum number of bytes read). Otherwise,
    /// the bytes count against the budget of the scan.
    func space(for location: RowLocation) -> NodeSpace { location.isLinked ? beginVisit() : pass }
}

extension Int {
    fileprivate func multipliedSaturating(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? ReadState.endless : product
    }
}

extension BoundCondition {
    /// Maximum number of times that testing one object reads a column: once per operand and once
    /// per link of its path.
    var maximumReads: Int {
        switch self {
        case .constant: 0
        case .and(let children), .or(let children): children.reduce(0) { $0 + $1.maximumReads }
        case .not(let child): child.maximumReads
        case .test: 1
        case .comparison(let comparison):
            comparison.left.maximumReads + comparison.right.maximumReads
        case .fullText(let search): 1 + search.path.hops.count
        case .geoWithin(let geo): 3 + geo.path.hops.count
        }
    }
}

extension BoundOperand {
    var maximumReads: Int {
        switch kind {
        case .subquery(let subquery): 1 + subquery.path.hops.count + subquery.maximumReads
        case .path(let path), .count(let path), .size(let path), .typeOf(let path):
            1 + path.hops.count
        case .aggregate(let aggregate): 2 + aggregate.path.hops.count
        case .function(_, let operand): operand.maximumReads
        case .arithmetic(let first, let terms):
            terms.reduce(first.maximumReads) { $0 + $1.operand.maximumReads }
        case .constant: 0
        }
    }
}
