/// A part of a query after its condition. Clauses apply to the matches one after the other, in the
/// order given (query language 22).
public enum QueryClause: Sendable {
    /// By several keys, the first of which counts most.
    case sort([QuerySortKey])
    /// The first object of every combination of values.
    case distinct([QueryPath])
    /// The first so many; none for a negative number.
    case limit(Int)
}

/// A path to sort by, and the direction.
public struct QuerySortKey: Sendable {
    public var path: QueryPath
    public var isAscending: Bool

    public init(_ path: QueryPath, isAscending: Bool = true) {
        self.path = path
        self.isAscending = isAscending
    }
}
