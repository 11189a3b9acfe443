/// What results are, apart from any version: where the objects come from, the conditions that all of
/// them satisfy, and what happens to the matches. Free to cross threads.
public struct ResultsDefinition: Sendable {
    /// The class of the objects.
    let table: TableKey
    let origin: Origin
    /// All conditions hold, whenever they were added; what is written behind them happens in order.
    private(set) var queries: [Query] = []

    /// Where the objects come from, in which order.
    package enum Origin: Hashable, Sendable {
        /// All objects of the class.
        case objects
        /// Those a list, set or dictionary leads to, in its order, once per element.
        case collection(ObjectLink, ColumnKey)
        /// Those that link to an object by a property of theirs, once per link.
        case linking(to: ObjectLink, by: ColumnKey)
    }

    init(_ table: TableKey, from origin: Origin = .objects) {
        (self.table, self.origin) = (table, origin)
    }

    public init(_ table: TableKey, _ query: Query) {
        self.init(table)
        queries = [query]
    }

    /// With one more condition, and what is written behind it. Throws `misuse` for a condition behind
    /// a LIMIT: conditions are settled before anything is cut off.
    func adding(_ query: Query) throws(RealmError) -> ResultsDefinition {
        if query.hasCondition, queries.contains(where: \.hasLimit) {
            throw .misuse(
                "Filtering a Results with a limit is not supported", code: "IllegalOperation")
        }
        var fresh = self
        fresh.queries.append(query)
        return fresh
    }

    /// All objects of the class, in table order.
    var isEverything: Bool { origin == .objects && queries.isEmpty }

    /// The way to the objects where all of them are asked about and none is arranged; nil otherwise.
    func unarrangedPlan(for table: Table) throws(RealmError) -> QueryPlan? {
        guard origin == .objects else { return nil }
        var query = try bound(to: table)
        if query == nil { query = try Query(.always(true)).bound(to: table) }
        guard let query else { return nil }
        return query.descriptors.isEmpty ? try QueryPlan(query, in: table.snapshot) : nil
    }

    /// All queries as one, for the snapshot of `table`; nil where there is none. Throws `misuse`.
    func bound(to table: Table) throws(RealmError) -> BoundQuery? {
        if queries.count <= 1 { return try queries.first?.bound(to: table) }
        var parts: [BoundQuery] = []
        for query in queries { parts.append(try query.bound(to: table)) }
        return BoundQuery(all: parts, table)
    }
}
