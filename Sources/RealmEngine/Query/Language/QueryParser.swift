/// Parses text into a tree by recursive descent with one token of look-ahead (query language 3).
///
/// The depth of the recursion is counted: a query nested deeper than `QueryLimits.depth` is an
/// error, so no input can exhaust the stack. Long chains of AND, OR, `+` or `*` are flat and may
/// have any length.
///
/// Functions that only read are `mutating` too, so that the parser is passed by reference and not
/// copied.
struct QueryParser {
    let source: QuerySource
    /// The arguments for the placeholders of a predicate; nil if the text is in the query language.
    let arguments: (any PredicateArguments)?
    var lexer: QueryLexer
    /// The token that is to be parsed next.
    private(set) var token = QueryToken(kind: .end, range: .none)
    /// Range of the token before `token` in the query text.
    private(set) var previous = SourceRange(start: 0, end: 0)
    private var depth = 0
    /// Number of argument placeholders parsed so far in a predicate.
    var places = 0
    /// Names of tokens that are not in the query text, such as the parts of a key path given for
    /// `%K`. `QueryToken.number` is the index.
    var names: [String] = []
    /// Queue of tokens to return before the next token of the query text, such as the rest of a
    /// path for `%K`.
    var pending: [QueryToken] = []
    /// Whether the tree contains the time at which it was parsed, so that it must not be cached.
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

    /// Parses a whole query.
    ///
    /// - Parameter arguments: arguments of a predicate; nil for the query language.
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

    /// Parses a text that is a function of one value; nil if it does not begin with a function.
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

    /// Parses the region in a text argument of GEOWITHIN.
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

    /// Moves past the current token if it has the given kind. Returns whether it has.
    mutating func accept(_ kind: QueryToken.Kind) throws(RealmError) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Moves past a token that must have the given kind, and returns it; otherwise throws.
    @discardableResult
    mutating func expect(
        _ kind: QueryToken.Kind, _ what: String
    ) throws(RealmError) -> QueryToken {
        guard token.kind == kind else { throw unexpected(what) }
        return try advance()
    }

    /// Returns the name that a token denotes, from the query text or from `names`.
    mutating func name(of token: QueryToken) -> String {
        token.number < 0 ? lexer.name(of: token) : names[token.number]
    }

    /// Returns the bytes of a token in the query text.
    mutating func bytes(of token: QueryToken) -> ArraySlice<UInt8> {
        source.text[token.range.start..<token.range.end]
    }

    /// Makes the error for an unexpected current token.
    func unexpected(_ what: String) -> RealmError {
        let found =
            token.kind == .end ? "the query ends" : "found '\(source.quote(token.range))'"
        let error = source.error(
            .syntax, "syntax", at: token.range, "expected \(what), but \(found)")
        return source.isInDate(token.range.start) ? source.advisingDates(error) : error
    }

    /// Enters one level of nesting. Throws if the nesting exceeds `QueryLimits.depth`.
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
