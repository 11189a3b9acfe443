/// Limits for those parts of a query that use stack, or memory or time that grows faster than the
/// query text. The error message names the limit.
enum QueryLimits {
    /// Maximum nesting of parentheses, NOT and SUBQUERY. Each level uses stack whenever a tree is
    /// walked.
    static let depth = 200
    /// Maximum number of steps of a path. Each step uses stack. If a path is evaluated backwards
    /// from the objects at its end, each step also needs a set of objects.
    static let steps = 200
    /// Maximum number of properties of all SORT and DISTINCT clauses of a query together. Every
    /// object has a key for each of them.
    static let sortKeys = 256
    /// Maximum number of points of a region, whose edges are compared pairwise.
    static let points = 10_000
    /// Maximum number of objects that a path may reach from one object in an evaluation that needs
    /// their order and duplicates. A comparison of two lists by position needs them.
    static let sequence = 1 << 18

    /// Throws if a tree built by a program is too deep. Walking it uses stack, so the limit is the
    /// same as for query text.
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
    /// Makes the error for a part of the query text, named by `what`, that exceeds `limit`.
    func exceeded(_ what: String, _ limit: Int, at range: SourceRange) -> RealmError {
        error(.limitExceeded, "limit", at: range, "\(what): the limit is \(limit)")
    }
}
