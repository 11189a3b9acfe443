/// Limits of what a query may ask for, each named in the error for more: what costs stack or grows
/// faster than the text that asks for it.
enum QueryLimits {
    /// Deepest nesting of parentheses, NOT and SUBQUERY. Each level takes stack wherever a tree is
    /// walked.
    static let depth = 200
    /// Steps of one path. Each takes stack, and a set of objects where the path is tested from its far
    /// end.
    static let steps = 200
    /// Properties of all SORT or all DISTINCT clauses. Every object has a key for each of them.
    static let sortKeys = 256
    /// Points of a region, of which every two edges are compared.
    static let points = 10_000
    /// Objects one path may reach from a single object where each counts as often as it is reached and
    /// in order, as in comparisons of two lists position by position.
    static let sequence = 1 << 18

    /// Walking what programs build uses the stack too, so its height is bounded as that of a text is.
    static func checkDepth(_ depth: Int) throws(RealmError) {
        guard depth <= QueryLimits.depth else {
            throw .misuse(
                "a condition nested deeper than \(QueryLimits.depth) levels",
                code: "InvalidQuery", reason: "syntax")
        }
    }

    static func exceeded(_ what: String, _ limit: Int) -> RealmError {
        .misuse("\(what): the limit is \(limit)", code: "LimitExceeded", reason: "limit")
    }
}

extension QuerySource {
    /// The error for more of something in the text than `limit`.
    func exceeded(_ what: String, _ limit: Int, at range: SourceRange) -> RealmError {
        error(.limitExceeded, "limit", at: range, "\(what): the limit is \(limit)")
    }
}
