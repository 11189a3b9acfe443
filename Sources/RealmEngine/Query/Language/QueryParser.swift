/// Text to tree by recursive descent with one token of look-ahead (query language 3).
///
/// Recursion is counted: a query nested deeper than `QueryLimits.depth` is refused with a clear error,
/// so no input can exhaust the stack. Long chains of AND, OR, `+` or `*` are flat and may be of any
/// length.
///
/// Helpers that only look are `mutating` all the same: the parser is lent to them instead of copied.
struct QueryParser {
    let source: QuerySource
    private var lexer: QueryLexer
    /// The token to be dealt with next.
    private(set) var token: QueryToken
    /// Place of the token before it.
    private(set) var previous = SourceRange(start: 0, end: 0)
    private var depth = 0

    private init(
        _ source: QuerySource, _ text: UnsafeBufferPointer<UInt8>
    ) throws(RealmError) {
        self.source = source
        lexer = QueryLexer(text)
        token = try lexer.next(source)
    }

    /// The tree of a whole query.
    static func parse(_ source: QuerySource) throws(RealmError) -> QueryTree {
        try source.text.withUnsafeBufferPointer { (text) throws(RealmError) in
            var parser = try QueryParser(source, text)
            guard parser.token.kind != .end else {
                throw parser.unexpected("a condition (TRUEPREDICATE matches everything)")
            }
            let condition = try parser.condition()
            let descriptors = try parser.descriptors()
            return QueryTree(condition: condition, descriptors: descriptors)
        }
    }

    /// The region a text argument of GEOWITHIN spells.
    static func parseRegion(_ source: QuerySource) throws(RealmError) -> QueryRegion {
        try source.text.withUnsafeBufferPointer { (text) throws(RealmError) in
            var parser = try QueryParser(source, text)
            let region = try parser.region()
            guard parser.token.kind == .end else {
                throw parser.unexpected("the end of the region")
            }
            return region
        }
    }
}

// MARK: - Tokens

extension QueryParser {
    /// Moves past the current token and returns it.
    @discardableResult
    mutating func advance() throws(RealmError) -> QueryToken {
        let passed = token
        previous = passed.range
        token = try lexer.next(source)
        return passed
    }

    /// Moves past the current token if it is of this kind.
    mutating func accept(_ kind: QueryToken.Kind) throws(RealmError) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Moves past a token that must be of this kind.
    @discardableResult
    mutating func expect(
        _ kind: QueryToken.Kind, _ what: String
    ) throws(RealmError) -> QueryToken {
        guard token.kind == kind else { throw unexpected(what) }
        return try advance()
    }

    /// The name the current token spells.
    mutating func name(of token: QueryToken) -> [UInt8] { lexer.name(of: token) }

    /// The bytes of a token.
    mutating func bytes(of token: QueryToken) -> ArraySlice<UInt8> {
        source.text[token.range.start..<token.range.end]
    }

    /// The error that something else was expected where the current token stands.
    func unexpected(_ what: String) -> RealmError {
        let found =
            token.kind == .end ? "the query ends" : "found '\(source.quote(token.range))'"
        let error = source.error(
            .syntax, "syntax", at: token.range, "expected \(what), but \(found)")
        return source.isInDate(token.range.start) ? source.advisingDates(error) : error
    }

    /// Enters one level of nesting.
    mutating func descend() throws(RealmError) {
        depth += 1
        guard depth <= QueryLimits.depth else {
            throw source.error(
                .syntax, "syntax", at: token.range,
                "nested deeper than \(QueryLimits.depth) levels")
        }
    }

    mutating func ascend() { depth -= 1 }
}
