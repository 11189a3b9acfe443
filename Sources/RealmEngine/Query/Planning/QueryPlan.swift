/// What a plan decides: the same every time for a bound query.
struct QueryDecision: Sendable {
    let filter: BoundCondition
    let candidates: IndexCandidates?

    /// More keys are looked up again each time, and not kept.
    private static let maximumKeys = 1024

    var isKept: Bool {
        guard case .keys(let keys)? = candidates?.objects else { return true }
        return keys.count <= Self.maximumKeys
    }
}

/// A bound query with the order its terms are tested in and the way to its candidates. Belongs to
/// one version; free to cross threads.
public final class QueryPlan: Sendable {
    public let query: BoundQuery
    public let options: QueryOptions
    /// The condition, cheapest and most selective terms first.
    let filter: BoundCondition
    /// Where indexes led; nil means every leaf is visited.
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
        filter = ConditionOrder.arranged(query.condition)
        candidates =
            options.usesIndexes ? try IndexCandidates(filter, query.table, snapshot) : nil
        guard options.usesIndexes, let decision = query.decision else { return }
        let made = QueryDecision(filter: filter, candidates: candidates)
        if made.isKept { decision.withLock { $0 = made } }
    }

    /// What is asked about every object that is visited.
    var condition: BoundCondition { candidates?.rest ?? filter }

    /// The order or number of the objects depends on more than the condition: SORT, DISTINCT, LIMIT.
    package var isArranged: Bool { !query.descriptors.isEmpty }

    /// The leaves to visit, in table order, each with the rows worth testing.
    package func parts(in snapshot: Snapshot) throws(RealmError) -> [LeafSlice] {
        if let candidates {
            let tree = ClusterTree(space: snapshot.lookup, root: query.table.root)
            return try candidates.objects.parts(tree)
        }
        var leaves = snapshot.table(query.table).leaves()
        var parts: [LeafSlice] = []
        while let part = try leaves.nextPart() { parts.append(part) }
        return parts
    }
}
