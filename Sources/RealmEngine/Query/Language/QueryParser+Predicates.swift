/// Parses what only texts of predicates have (query language 25): argument placeholders, and
/// keywords that are names in some positions.
extension QueryParser {
    /// Returns the next token of a predicate.
    ///
    /// - Parameter last: kind of the previous token.
    mutating func nextOfPredicate(
        after last: QueryToken.Kind, _ arguments: any PredicateArguments
    ) throws(RealmError) -> QueryToken {
        if !pending.isEmpty { return pending.removeFirst() }
        var token = try lexer.next(source)
        switch token.kind {
        case .place:
            token.number = places
            places += 1
            return place(token) == UInt8(ascii: "K")
                ? try path(token, after: last, arguments) : token
        case .argument, .pathArgument: token.kind = .name
        case .name: token.kind = word(token)
        default: break
        }
        if isName(token, after: last, arguments) { token.kind = .name }
        if token.kind == .name, last != .dot, let name = arguments.selfProperty,
            spells(token, "self")
        {
            return named(name, token)
        }
        return token
    }

    /// Returns the last character of an argument placeholder, such as `@` of `%@` and `K` of `%K`.
    /// It says which kind of argument the placeholder takes.
    func place(_ token: QueryToken) -> UInt8 { lexer.byte(token.range.end - 1) }

    /// Returns the token kind of a keyword of predicates that is a plain name in the query
    /// language, such as `YES`. Ignores case. Returns `.name` for any other word.
    private func word(_ token: QueryToken) -> QueryToken.Kind {
        QueryDialect.predicateWords.first { spells(token, $0.word) }?.kind ?? .name
    }

    private func spells(_ token: QueryToken, _ word: StaticString) -> Bool {
        let start = token.range.start
        let count = token.range.end - start
        guard count == word.utf8CodeUnitCount else { return false }
        for i in 0..<count where lexer.byte(start + i) | 0x20 != word.utf8Start[i] { return false }
        return true
    }

    /// Whether a keyword is used as a name here. It is a name next to a dot, as in `box.limit`.
    /// Some keywords, such as `geobox`, exist only in the query language. They are also names if a
    /// property of the class has this name and no parenthesis follows.
    private func isName(
        _ token: QueryToken, after last: QueryToken.Kind, _ arguments: any PredicateArguments
    ) -> Bool {
        guard !token.isPathName, lexer.nameStart(token.range.start) > 0 else { return false }
        var next = token.range.end
        while QueryLexer.isSpace(lexer.byte(next)) { next += 1 }
        let follower = lexer.byte(next)
        let isBeforeDot =
            follower == UInt8(ascii: ".") && !QueryLexer.isDigit(lexer.byte(next + 1))
        if last == .dot || isBeforeDot { return true }
        switch token.kind {
        case .geoWithin, .object, .geoBox, .geoPolygon, .geoCircle, .infinity, .nan, .objectKey:
            return follower != UInt8(ascii: "(") && arguments.isProperty(lexer.name(of: token))
        default: return false
        }
    }

    /// Returns the first token of the key path that was given as an argument for `%K`. The other
    /// tokens of this path are added to `pending`.
    private mutating func path(
        _ token: QueryToken, after last: QueryToken.Kind, _ arguments: any PredicateArguments
    ) throws(RealmError) -> QueryToken {
        let names = try arguments.names(token.number, isStart: last != .dot)
        if last == .leftBracket, names == ["#any"] {
            return QueryToken(kind: .star, range: token.range)
        }
        for (i, name) in names.enumerated() {
            if i > 0 { pending.append(QueryToken(kind: .dot, range: token.range)) }
            pending.append(named(name, token))
        }
        guard !pending.isEmpty else { throw unexpected("a property") }
        return pending.removeFirst()
    }

    /// Returns the token for a name in an argument for `%K`: an operator such as `@count`, or a
    /// name.
    private mutating func named(_ name: String, _ token: QueryToken) -> QueryToken {
        let operators = QueryDialect.predicateOperators + QueryToken.operators
        if let kind = operators.first(where: { "\($0.0)" == name })?.1 {
            return QueryToken(kind: kind, range: token.range)
        }
        names.append(name)
        return QueryToken(kind: .name, range: token.range, number: names.count - 1)
    }

    /// Parses an argument placeholder and returns the value of its argument.
    mutating func placeValue() throws(RealmError) -> QueryArgument {
        guard let arguments else { throw unexpected("a value") }
        let place = try advance()
        return try arguments.value(place.number, self.place(place))
    }

    /// Parses an argument such as an embedded object, which is compared property by property. Nil
    /// if the argument is compared as a whole.
    mutating func piecewise(
        _ left: QueryOperand, _ relation: QueryRelation
    ) throws(RealmError) -> QueryCondition? {
        guard let arguments, token.kind == .place, place(token) == UInt8(ascii: "@"),
            relation == .equal || relation == .notEqual, case .property(let property) = left.kind,
            property.suffix == .none,
            let condition = try arguments.comparison(
                property.path, isEqual: relation == .equal, token.number)
        else { return nil }
        try advance()
        return condition
    }

    /// Parses an argument of BETWEEN that is a list of the two limits.
    mutating func limits() throws(RealmError) -> QueryList {
        guard case .list(let limits) = try placeValue(), limits.count == 2 else {
            throw .misuse(
                "NSArray with exactly two objects expected for BETWEEN operations",
                code: "InvalidQuery", reason: "betweenArity")
        }
        return QueryList(limits)
    }

    /// Parses a placeholder in brackets, such as `[%@]`. Its argument must be a list index or a
    /// dictionary key.
    mutating func indexPlace() throws(RealmError) -> QueryStep.Index {
        let range = token.range
        switch try placeValue() {
        case .int(let index): return .at(index)
        case .string(let key): return .key(key)
        default:
            throw source.error(
                .invalidQuery, "indexArgument", at: range,
                "an argument used as an index must be an integer or a string")
        }
    }
}
