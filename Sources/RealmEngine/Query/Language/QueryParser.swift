/// Text to tree by recursive descent with one token of look-ahead (query language 3).
///
/// Recursion is counted: a query nested deeper than `QueryLimits.depth` is refused with a clear error,
/// so no input can exhaust the stack. Long chains of AND, OR, `+` or `*` are flat and may be of any
/// length.
///
/// Helpers that only look are `mutating` all the same: the parser is lent to them instead of copied.
struct QueryParser {
    let source: QuerySource
    /// The arguments of a predicate; nil for the query language.
    let arguments: (any PredicateArguments)?
    var lexer: QueryLexer
    /// The token to be dealt with next.
    private(set) var token = QueryToken(kind: .end, range: .none)
    /// Place of the token before it.
    private(set) var previous = SourceRange(start: 0, end: 0)
    private var depth = 0
    /// Number of argument places so far, in a predicate.
    var places = 0
    /// Names of tokens that are not in the text.
    var names: [String] = []
    /// Tokens that precede the next token of the text.
    var pending: [QueryToken] = []
    /// The tree holds the time at which it was made.
    var isMomentary = false

    private init(
        _ source: QuerySource, _ text: UnsafeBufferPointer<UInt8>,
        _ arguments: (any PredicateArguments)? = nil
    ) throws(RealmError) {
        (self.source, self.arguments) = (source, arguments)
        lexer = QueryLexer(text)
        token = try next(after: .end)
    }

    private mutating func next(after last: QueryToken.Kind) throws(RealmError) -> QueryToken {
        guard let arguments else { return try lexer.next(source) }
        return try nextOfPredicate(after: last, arguments)
    }

    /// The tree of a whole query.
    ///
    /// - Parameter arguments: supplied for a predicate.
    static func parse(
        _ source: QuerySource, _ arguments: (any PredicateArguments)? = nil
    ) throws(RealmError) -> QueryTree {
        try source.text.withUnsafeBufferPointer { (text) throws(RealmError) in
            var parser = try QueryParser(source, text, arguments)
            guard parser.token.kind != .end else {
                throw parser.unexpected("a condition (TRUEPREDICATE matches everything)")
            }
            let condition = try parser.condition()
            return QueryTree(
                condition: condition, clauses: try parser.clauses(), dialect: source.dialect,
                isMomentary: parser.isMomentary)
        }
    }

    /// A function of one value that is all of the text; nil where the text begins with none.
    static func parseFunction(_ source: QuerySource) throws(RealmError) -> QueryOperand? {
        try source.text.withUnsafeBufferPointer { (text) throws(RealmError) in
            var parser = try QueryParser(source, text)
            guard parser.isFunction() else { return nil }
            let operand = try parser.operand()
            guard parser.token.kind == .end else {
                throw parser.unexpected("the end of the function")
            }
            return operand
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
        token = try next(after: passed.kind)
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

    /// The name a token spells.
    mutating func name(of token: QueryToken) -> String {
        token.number < 0 ? lexer.name(of: token) : names[token.number]
    }

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
