/// Parses operands: constants, lists, paths, aggregates and subqueries.
extension QueryParser {
    mutating func operand() throws(RealmError) -> QueryOperand {
        let start = token.range
        let quantifier = try quantifier()
        let kind = try operandKind(quantifier, from: start)
        return QueryOperand(kind: kind, range: start.through(previous))
    }

    /// Parses ANY, ALL or NONE; nil if there is none.
    mutating func quantifier() throws(RealmError) -> QueryQuantifier? {
        let quantifier: QueryQuantifier
        switch token.kind {
        case .any: quantifier = .any
        case .all:
            if arguments != nil {
                throw .misuse(
                    "ALL modifier not supported", code: "InvalidQuery", reason: "syntax")
            }
            quantifier = .all
        case .none: quantifier = .none
        default: return nil
        }
        try advance()
        return quantifier
    }

    private mutating func operandKind(
        _ quantifier: QueryQuantifier?, from start: SourceRange
    ) throws(RealmError) -> QueryOperand.Kind {
        if isFunction() { return try function(quantifier) }
        switch token.kind {
        case .leftBrace: return .list(try list(quantifier))
        case .subquery where quantifier == nil: return .subquery(try subquery())
        case .argument: return .constant(try argument(quantifier))
        case .place where quantifier == nil: return .constant(.value(try placeValue()))
        case .binary:
            // `binary` is also a possible property name. It begins a literal if a parenthesis
            // follows.
            let word = try advance()
            if token.kind == .leftParen, quantifier == nil { return .constant(try binary()) }
            return try pathOperand(quantifier, from: start, word)
        default: break
        }
        if token.isPathName || token.kind == .pathArgument {
            return try pathOperand(quantifier, from: start, try advance())
        }
        if quantifier == nil, let constant = try constant() { return .constant(constant) }
        throw unexpected(
            quantifier == nil
                ? "a property or a value" : "a property or a list after ANY, ALL or NONE")
    }

    /// Parses a property or an aggregate after its first word.
    private mutating func pathOperand(
        _ quantifier: QueryQuantifier?, from start: SourceRange, _ first: QueryToken
    ) throws(RealmError) -> QueryOperand.Kind {
        var suffix = QueryToken.Kind.end
        let path = try path(first, suffix: &suffix)
        if suffix == .function,
            let function = AggregateFunction.named(operator: source.quote(previous))
        {
            guard quantifier == nil else {
                throw source.error(
                    .syntax, "syntax", at: previous, "an aggregate takes no ANY, ALL or NONE")
            }
            return .aggregate(try aggregate(path, function))
        }
        let property = QueryProperty(
            quantifier: quantifier, path: path,
            suffix: suffix == .count ? .count : suffix == .type ? .type : .none,
            range: start.through(previous))
        return .property(property)
    }

    /// Parses the optional property that follows an operator such as `path.@min`.
    private mutating func aggregate(
        _ path: QueryPath, _ function: AggregateFunction
    ) throws(RealmError) -> QueryAggregate {
        let range = previous
        var property: QueryStep?
        if try accept(.dot) { property = try nameStep("a property") }
        return QueryAggregate(
            path: path, function: function, functionRange: range, property: property)
    }

    /// Parses SUBQUERY(path, $x, condition).@count.
    private mutating func subquery() throws(RealmError) -> QuerySubquery {
        try descend()
        defer { ascend() }
        try advance()
        try expect(.leftParen, "'(' after SUBQUERY")
        let path = try path()
        try expect(.comma, "',' and a variable")
        guard token.isPathName else { throw unexpected("a variable such as $x") }
        let variable = try advance()
        let name = name(of: variable)
        guard name.hasPrefix("$"), name.utf8.count > 1 else {
            throw source.error(
                .syntax, "subqueryVariable", at: variable.range,
                "the variable of SUBQUERY begins with '$' and has a name, such as $x")
        }
        try expect(.comma, "',' and a condition")
        let condition = try condition()
        try expect(.rightParen, "')'")
        try expect(.dot, "'.@count'")
        try expect(.count, "@count")
        return QuerySubquery(
            path: path, variable: name, variableRange: variable.range, condition: condition)
    }
}

// MARK: - Paths

extension QueryParser {
    /// Parses a path without an operator such as `@count` at its end, for SORT, DISTINCT and
    /// SUBQUERY.
    mutating func path() throws(RealmError) -> QueryPath {
        guard token.isPathName || token.kind == .pathArgument else {
            throw unexpected("a property")
        }
        var suffix = QueryToken.Kind.end
        let path = try path(try advance(), suffix: &suffix)
        guard suffix == .end else {
            throw source.error(
                .syntax, "syntax", at: previous,
                "'\(source.quote(previous))' cannot stand here: only a path of properties can")
        }
        return path
    }

    /// Parses the rest of a path that begins with `first`, up to and including an operator such as
    /// `@count`, which is stored in `suffix`.
    private mutating func path(
        _ first: QueryToken, suffix: inout QueryToken.Kind
    ) throws(RealmError) -> QueryPath {
        let start = QueryStep(
            kind: first.kind == .pathArgument
                ? .argument(argumentNumber(first, prefix: 2)) : .name(name(of: first)),
            range: first.range, isQuoted: isQuoted(first))
        var steps: [QueryStep] = []
        var end = first.range
        while suffix == .end {
            guard steps.count < QueryLimits.steps else { throw tooManySteps(first) }
            if try accept(.dot) {
                switch token.kind {
                case .count, .type, .function: suffix = try advance().kind
                default:
                    steps.append(try nameStep("a property after '.'"))
                    end = previous
                }
            } else if token.kind == .leftBracket {
                if let step = try indexStep() {
                    steps.append(step)
                    end = previous
                } else {
                    suffix = .count
                }
            } else {
                break
            }
        }
        return QueryPath(first: start, rest: steps, range: first.range.through(end))
    }

    private func tooManySteps(_ first: QueryToken) -> RealmError {
        source.exceeded("this path has too many steps", QueryLimits.steps, at: first.range)
    }

    private mutating func nameStep(_ what: String) throws(RealmError) -> QueryStep {
        guard token.isPathName else { throw unexpected(what) }
        let word = try advance()
        return QueryStep(
            kind: .name(name(of: word)), range: word.range, isQuoted: isQuoted(word))
    }

    private func isQuoted(_ token: QueryToken) -> Bool {
        token.kind == .name
            && (token.number >= 0 || source.text[token.range.start] == UInt8(ascii: "#"))
    }

    /// Parses an index step `[index]`; nil for `[SIZE]`, which is a suffix.
    private mutating func indexStep() throws(RealmError) -> QueryStep? {
        let open = try advance()
        let index: QueryStep.Index?
        if token.kind == .place {
            let index = try indexPlace()
            try expect(.rightBracket, "']'")
            return QueryStep(kind: .index(index), range: open.range.through(previous))
        }
        switch token.kind {
        case .natural: index = .at(integer(token))
        case .first: index = .first
        case .last: index = .last
        case .star: index = .all
        case .string: index = .key(String(decoding: stringBytes(token), as: UTF8.self))
        case .argument: index = .argument(argumentNumber(token, prefix: 1))
        case .size: index = nil
        default: throw unexpected("an index: a number, FIRST, LAST, SIZE, *, 'key' or $0")
        }
        try advance()
        try expect(.rightBracket, "']'")
        guard let index else { return nil }
        return QueryStep(kind: .index(index), range: open.range.through(previous))
    }
}
