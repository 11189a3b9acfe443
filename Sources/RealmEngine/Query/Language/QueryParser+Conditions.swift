/// Result of parsing a part that may be a condition or a value: an opening parenthesis may begin
/// either, which is only known at the end. Each caller checks which part it received.
enum QueryPart {
    case condition(QueryCondition)
    /// A value. `isBare` is false if it is in parentheses or is the result of an operator. String
    /// operators, TEXT, BETWEEN and GEOWITHIN accept only bare values.
    case value(QueryOperand, isBare: Bool)
}

extension QueryParser {
    /// Parses a condition; throws if the text is a value.
    mutating func condition() throws(RealmError) -> QueryCondition {
        let part = try disjunction()
        return try asCondition(part)
    }

    private mutating func asCondition(_ part: QueryPart) throws(RealmError) -> QueryCondition {
        switch part {
        case .condition(let condition): return condition
        case .value: throw unexpected("an operator such as ==")
        }
    }

    private mutating func disjunction() throws(RealmError) -> QueryPart {
        let first = try conjunction()
        guard token.kind == .or else { return first }
        var all = [try asCondition(first)]
        while try accept(.or) {
            let next = try conjunction()
            all.append(try asCondition(next))
        }
        return .condition(.or(all))
    }

    private mutating func conjunction() throws(RealmError) -> QueryPart {
        let first = try negation()
        guard token.kind == .and else { return first }
        var all = [try asCondition(first)]
        while try accept(.and) {
            let next = try negation()
            all.append(try asCondition(next))
        }
        return .condition(.and(all))
    }

    private mutating func negation() throws(RealmError) -> QueryPart {
        guard try accept(.not) else { return try atom() }
        try descend()
        defer { ascend() }
        let negated = try negation()
        return .condition(.not(try asCondition(negated)))
    }

    private mutating func atom() throws(RealmError) -> QueryPart {
        if try accept(.truePredicate) { return .condition(.always(true)) }
        if try accept(.falsePredicate) { return .condition(.always(false)) }
        let part = try sum()
        guard case .value(let operand, let isBare) = part else { return part }
        return try comparison(operand, isBare: isBare)
    }

    /// Parses the operator and right side of a comparison; without an operator, returns the value.
    private mutating func comparison(
        _ left: QueryOperand, isBare: Bool
    ) throws(RealmError) -> QueryPart {
        let sign = token
        switch sign.kind {
        case .equal: return try relation(left, .equal)
        case .notEqual: return try relation(left, .notEqual)
        case .in: return try relation(left, .in)
        case .less: return try relation(left, .less)
        case .lessEqual: return try relation(left, .lessEqual)
        case .greater: return try relation(left, .greater)
        case .greaterEqual: return try relation(left, .greaterEqual)
        case .matches where source.dialect.isPredicate:
            throw .misuse(
                "Operator 'MATCHES' not supported for string queries", code: "InvalidQuery",
                reason: "syntax")
        case .matches where !source.dialect.isExtended: return .value(left, isBare: isBare)
        case .beginsWith, .endsWith, .contains, .like, .matches, .text, .between, .geoWithin: break
        default: return .value(left, isBare: isBare)
        }
        guard isBare else {
            throw unexpected("== or another operator that takes arithmetic and parentheses")
        }
        switch sign.kind {
        case .beginsWith: return try textRelation(left, .beginsWith)
        case .endsWith: return try textRelation(left, .endsWith)
        case .contains: return try textRelation(left, .contains)
        case .like: return try textRelation(left, .like)
        case .matches: return try textRelation(left, .matches)
        case .text: return try textRelation(left, .text)
        case .between: return try between(left)
        default: return try geoWithin(left)
        }
    }

    /// Parses `==`, `!=`, IN and the ordered operators, whose right side may be arithmetic.
    private mutating func relation(
        _ left: QueryOperand, _ relation: QueryRelation
    ) throws(RealmError) -> QueryPart {
        let sign = try advance()
        let isOrdered = relation != .equal && relation != .notEqual && relation != .in
        let (folds, marks) = isOrdered ? (false, false) : try flags()
        if let condition = try piecewise(left, relation) { return .condition(condition) }
        guard case .value(let right, _) = try sum() else { throw nestedCondition(sign) }
        if relation == .in, case .constant(.value(.geo(let shape))) = right.kind,
            case .property(let property) = left.kind
        {
            return .condition(QueryCondition(.geoWithin(property, .shape(shape), sign.range)))
        }
        return comparison(left, relation, folds, marks, right, sign)
    }

    private func comparison(
        _ left: QueryOperand, _ relation: QueryRelation, _ foldsCase: Bool, _ foldsMarks: Bool,
        _ right: QueryOperand, _ sign: QueryToken
    ) -> QueryPart {
        .condition(
            QueryCondition(
                .comparison(
                    QueryComparison(
                        left: left, relation: relation, foldsCase: foldsCase,
                        foldsMarks: foldsMarks, right: right, range: sign.range))))
    }

    /// Parses string operators and TEXT, whose right side is a single operand.
    private mutating func textRelation(
        _ left: QueryOperand, _ relation: QueryRelation
    ) throws(RealmError) -> QueryPart {
        let sign = try advance()
        let (folds, marks) = relation == .text ? (false, false) : try flags()
        if marks, relation == .matches || relation == .like && source.dialect.isPredicate {
            throw source.error(
                .invalidQuery, "syntax", at: previous,
                "Operator '\(relation == .like ? "LIKE" : "MATCHES")' not supported with diacritic-insensitive modifier."
            )
        }
        return comparison(left, relation, folds, marks, try operand(), sign)
    }

    /// Parses the flags after an operator, such as `[c]`. Returns whether to fold case, and whether
    /// to fold diacritical marks.
    private mutating func flags() throws(RealmError) -> (Bool, Bool) {
        guard token.kind == .caseFlag else { return (false, false) }
        let letters = bytes(of: try advance())
        if source.dialect.isExtended, letters.contains(UInt8(ascii: "n")) {
            throw source.error(
                .syntax, "syntax", at: previous,
                "[n] orders the keys of SORT and DISTINCT; a comparison has [c], [d] and [cd]")
        }
        return (letters.contains(UInt8(ascii: "c")), letters.contains(UInt8(ascii: "d")))
    }

    private mutating func between(_ left: QueryOperand) throws(RealmError) -> QueryPart {
        let sign = try advance()
        let limits: QueryList
        if token.kind == .place {
            limits = try self.limits()
        } else {
            let quantifier = try quantifier()
            guard token.kind == .leftBrace else { throw unexpected("{low, high}") }
            limits = try list(quantifier)
        }
        return .condition(QueryCondition(.between(left, limits, sign.range)))
    }

    private mutating func geoWithin(_ left: QueryOperand) throws(RealmError) -> QueryPart {
        guard case .property(let property) = left.kind else {
            throw unexpected("a property before GEOWITHIN")
        }
        let sign = try advance()
        return .condition(QueryCondition(.geoWithin(property, try region(), sign.range)))
    }
}

// MARK: - Arithmetic

extension QueryParser {
    /// Parses `product { (+ | -) product }`.
    private mutating func sum() throws(RealmError) -> QueryPart {
        let first = try product()
        guard token.kind == .plus || token.kind == .minus else { return first }
        let start = try asValue(first)
        var terms: [ArithmeticTerm] = []
        while token.kind == .plus || token.kind == .minus {
            let sign = try advance()
            let next = try product()
            let operand = try asValue(next)
            terms.append(
                ArithmeticTerm(
                    sign: sign.kind == .plus ? .add : .subtract, operand: operand,
                    range: sign.range))
        }
        return chain(start, terms)
    }

    /// Parses `factor { (* | /) factor }`.
    private mutating func product() throws(RealmError) -> QueryPart {
        let first = try factor()
        guard token.kind == .star || token.kind == .slash else { return first }
        let start = try asValue(first)
        var terms: [ArithmeticTerm] = []
        while token.kind == .star || token.kind == .slash {
            let sign = try advance()
            let next = try factor()
            let operand = try asValue(next)
            terms.append(
                ArithmeticTerm(
                    sign: sign.kind == .star ? .multiply : .divide, operand: operand,
                    range: sign.range))
        }
        return chain(start, terms)
    }

    private func chain(_ start: QueryOperand, _ terms: [ArithmeticTerm]) -> QueryPart {
        let range = start.range.through(terms[terms.count - 1].operand.range)
        return .value(
            QueryOperand(kind: .arithmetic(start, terms), range: range), isBare: false)
    }

    /// Parses `operand | ( sum )`. The parenthesis may turn out to contain a condition.
    private mutating func factor() throws(RealmError) -> QueryPart {
        guard token.kind == .leftParen else { return .value(try operand(), isBare: true) }
        try descend()
        defer { ascend() }
        let open = try advance()
        let inner = try disjunction()
        try expect(.rightParen, "')'")
        guard case .value(var operand, _) = inner else { return inner }
        operand.range = open.range.through(previous)
        return .value(operand, isBare: false)
    }

    private mutating func asValue(_ part: QueryPart) throws(RealmError) -> QueryOperand {
        switch part {
        case .value(let operand, _): return operand
        case .condition: throw nestedCondition(token)
        }
    }

    private func nestedCondition(_ at: QueryToken) -> RealmError {
        source.error(
            .syntax, "syntax", at: at.range,
            "'\(source.quote(at.range))' needs values on both sides, not a condition")
    }
}
