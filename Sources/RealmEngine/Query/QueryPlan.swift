/// How a plan may be made.
public struct QueryOptions: Sendable {
    /// Look up what an index can find instead of testing every object. Never changes the result.
    public var usesIndexes = true
    /// Run kernels over packed leaves instead of testing value by value. Never changes the result.
    public var usesKernels = true
    /// Bytes of private memory that SORT, DISTINCT and the keys found may take; what does not fit
    /// goes to a temporary file. Never changes the result.
    public var memoryLimit = Int.max
    /// Where temporary files go.
    public var spillDirectory = "/tmp"
    /// Test the table at the end of a path as a whole from the first row on, however few there are.
    var hurriesSets = false

    public init() {}
}

/// What a plan decides: the same every time for a bound query.
struct QueryDecision: Sendable {
    let filter: BoundCondition
    let candidates: IndexCandidates?

    /// More are looked up again each time, and not kept.
    static let maximumUnits = 64
}

/// A bound query with the order its terms are tested in and the way to its candidates. Belongs to
/// one version; free to cross threads.
public final class QueryPlan: Sendable {
    public let query: BoundQuery
    public let options: QueryOptions
    /// The condition, cheapest and most selective terms first.
    let filter: BoundCondition
    /// Where an index led; nil means every leaf is visited.
    let candidates: IndexCandidates?

    /// Plans `query` for the snapshot it was bound to.
    public init(
        _ query: BoundQuery, in snapshot: Snapshot, options: QueryOptions = QueryOptions()
    ) throws(RealmError) {
        self.query = query
        self.options = options
        if options.usesIndexes, let known = query.decision?.withLock({ $0 }) {
            filter = known.filter
            candidates = known.candidates
            return
        }
        let ordered = ConditionOrder.arranged(query.condition)
        filter = ordered
        candidates =
            options.usesIndexes
            ? try IndexCandidates(ordered, query.table, snapshot) : nil
        if options.usesIndexes, (candidates?.units.count ?? 0) <= QueryDecision.maximumUnits {
            let made = QueryDecision(filter: filter, candidates: candidates)
            query.decision?.withLock { $0 = made }
        }
    }

    /// Number of matches among so few candidates that terms and their memory are not worth making;
    /// nil for every other plan.
    func countOfCandidates(in snapshot: Snapshot) throws(RealmError) -> Int? {
        guard let candidates, candidates.count <= Self.fewCandidates, case .test(let test) = filter
        else { return nil }
        var total = 0
        for unit in candidates.units {
            let location = unit.location
            let space = snapshot.lookup
            let leaf = try ClusterLeaf(
                space, location.ref, node: try space.node(location.ref), base: location.base)
            try unit.among.visit { (row) throws(RealmError) in
                if test.holds(try Spot(leaf: leaf, row: row).value(test.column)) { total &+= 1 }
            }
        }
        return total
    }

    /// So many are tested one by one.
    static let fewCandidates = 4

    /// The order or number of the objects depends on more than the condition: SORT, DISTINCT, LIMIT.
    public var isArranged: Bool { !query.descriptors.isEmpty }

    /// The leaves to visit, in table order, each with the rows worth testing.
    public func units(in snapshot: Snapshot) throws(RealmError) -> [QueryUnit] {
        if let candidates { return candidates.units }
        var locations = snapshot.table(query.table).leafLocations()
        var units: [QueryUnit] = []
        while let location = try locations.next() {
            units.append(QueryUnit(location: location, among: Selection(first: location.count)))
        }
        return units
    }
}

/// One leaf of a plan's work: what workers share out among themselves.
public struct QueryUnit: Sendable {
    /// The leaf.
    public let location: LeafLocation
    let among: Selection
}
