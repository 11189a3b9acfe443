/// A clause after the condition of a query. Clauses are applied to the matches in order (query
/// language 22).
public enum QueryClause: Sendable {
    /// Sorts by several keys; the first key is the primary one.
    case sort([QuerySortKey])
    /// Keeps the first object of each combination of key values.
    case distinct([QueryDistinctKey])
    /// Keeps the first objects, at most the given number; none for a negative number.
    case limit(Int)
}

/// A value to sort by, and the direction.
///
/// Programs may use keys that query text may not: `.count("items")`, an aggregate of a collection,
/// the number of matches of a subquery, and a property of the first object that links to the sorted
/// object. Objects without a value come last in ascending order, like objects with a null link.
public struct QuerySortKey: Sendable {
    public var operand: QueryOperand
    public var isAscending: Bool
    /// Rule by which texts are ordered, such as by bytes or ignoring case.
    public var collation: TextCollation

    public init(
        _ operand: QueryOperand, isAscending: Bool = true, _ collation: TextCollation = .binary
    ) {
        (self.operand, self.isAscending) = (operand, isAscending)
        self.collation = collation
    }

    public init(
        _ path: QueryPath, isAscending: Bool = true, _ collation: TextCollation = .binary
    ) {
        self.init(.path(path), isAscending: isAscending, collation)
    }
}

/// A key of DISTINCT: of several objects with equal keys, only the first is a result.
public struct QueryDistinctKey: Sendable {
    public var operand: QueryOperand
    /// Rule by which two texts count as equal, such as by bytes or ignoring case.
    public var collation: TextCollation

    public init(_ operand: QueryOperand, _ collation: TextCollation = .binary) {
        (self.operand, self.collation) = (operand, collation)
    }
}
