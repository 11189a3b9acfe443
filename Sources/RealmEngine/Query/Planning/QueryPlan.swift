/// Decisions about a query, such as the order of its terms, that are cached to be reused each time
/// the same bound query runs.
struct QueryDecision: Sendable {
    let filter: BoundCondition
    let candidates: IndexCandidates?

    /// Maximum number of object keys that a cached plan may contain as the result of its index
    /// searches. A plan with more keys is not cached; its indexes are searched again each time.
    private static let maximumKeys = 1024

    var isCached: Bool {
        guard case .keys(let keys)? = candidates?.objects else { return true }
        return keys.count <= Self.maximumKeys
    }
}

/// A bound query with the order of its terms and the candidates from its indexes. Belongs to one
/// version; safe to use from any thread.
public final class QueryPlan: Sendable {
    public let query: BoundQuery
    public let options: QueryOptions
    /// The query's condition, with the cheapest and most selective terms first.
    let filter: BoundCondition
    /// Objects found by indexes. Nil if the plan uses no index and visits every leaf.
    let candidates: IndexCandidates?

    /// Plans `query` for the snapshot to which it was bound.
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
        if made.isCached { decision.withLock { $0 = made } }
    }

    /// Condition that must be tested for every object that the plan visits. Omits terms that are
    /// known to be true for the objects found by indexes.
    var condition: BoundCondition { candidates?.rest ?? filter }

    /// Whether SORT, DISTINCT or LIMIT affects the order or number of the results.
    package var isArranged: Bool { !query.descriptors.isEmpty }

    /// Returns slices of the leaves that the query must visit, in table order. A slice contains the
    /// rows that must still be tested.
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
