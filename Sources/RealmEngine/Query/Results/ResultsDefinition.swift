/// Definition of results, independent of a version: the origin of the objects, their conditions,
/// and the clauses applied to the matches. Safe to use from any thread.
public struct ResultsDefinition: Sendable {
    /// Class of the objects in the results.
    let table: TableKey
    let origin: Origin
    /// Queries whose conditions must all be true; their clauses apply in order.
    private(set) var queries: [Query] = []

    /// The objects to which the queries are applied, and the order of these objects without SORT.
    package enum Origin: Hashable, Sendable {
        /// All objects of the class, in table order.
        case objects
        /// Objects that a list, set or dictionary references, in its order, once per element.
        case collection(ObjectLink, ColumnKey)
        /// Objects that link to an object by one of their properties, once per link.
        case linking(to: ObjectLink, by: ColumnKey)
    }

    init(_ table: TableKey, from origin: Origin = .objects) {
        (self.table, self.origin) = (table, origin)
    }

    public init(_ table: TableKey, _ query: Query) {
        self.init(table)
        queries = [query]
    }

    /// Returns the definition with one more query, which applies to the results of the previous
    /// ones. Throws `misuse` for a condition after a LIMIT, because all conditions apply before
    /// limits.
    func adding(_ query: Query) throws(RealmError) -> ResultsDefinition {
        if query.hasCondition, queries.contains(where: \.hasLimit) {
            throw .misuse(
                "Filtering a Results with a limit is not supported", code: "IllegalOperation")
        }
        var fresh = self
        fresh.queries.append(query)
        return fresh
    }

    /// Whether the results are all objects of the class in table order, without any condition or
    /// clause.
    var isEverything: Bool { origin == .objects && queries.isEmpty }

    /// Returns the plan if the results are all objects that match a condition, without SORT,
    /// DISTINCT or LIMIT; otherwise nil.
    func unarrangedPlan(for table: Table) throws(RealmError) -> QueryPlan? {
        guard origin == .objects else { return nil }
        var query = try bound(to: table)
        if query == nil { query = try Query(.always(true)).bound(to: table) }
        guard let query else { return nil }
        return query.descriptors.isEmpty ? try QueryPlan(query, in: table.snapshot) : nil
    }

    /// Returns all queries combined, bound to the snapshot of `table`; nil if there are none.
    /// Throws `misuse`.
    func bound(to table: Table) throws(RealmError) -> BoundQuery? {
        if queries.count <= 1 { return try queries.first?.bound(to: table) }
        var parts: [BoundQuery] = []
        for query in queries { parts.append(try query.bound(to: table)) }
        return BoundQuery(all: parts, table)
    }
}
