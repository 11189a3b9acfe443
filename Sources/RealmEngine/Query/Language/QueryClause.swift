/// A part of a query after its condition. Clauses apply to the matches one after the other, in the
/// order given (query language 22).
public enum QueryClause: Sendable {
    /// By several keys, the first of which counts most.
    case sort([QuerySortKey])
    /// The first object of every combination of values.
    case distinct([QueryOperand])
    /// The first so many; none for a negative number.
    case limit(Int)
}

/// A value to sort by, and the direction.
///
/// Programs may sort by what text of the query language may not: `.count("items")`, an aggregate of a
/// collection, the number of matches of a subquery, and a property of the first object that links to the
/// sorted one. An object without such a value is last when ascending, as one with a null link is.
public struct QuerySortKey: Sendable {
    public var operand: QueryOperand
    public var isAscending: Bool

    public init(_ operand: QueryOperand, isAscending: Bool = true) {
        (self.operand, self.isAscending) = (operand, isAscending)
    }

    public init(_ path: QueryPath, isAscending: Bool = true) {
        self.init(.path(path), isAscending: isAscending)
    }
}
