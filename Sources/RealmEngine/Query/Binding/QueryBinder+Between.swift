/// Binds BETWEEN (query language 12). In predicates, at least one of several values must be between
/// both limits.
extension QueryBinder {
    mutating func between(
        _ tree: QueryOperand, _ limits: QueryList, _ range: SourceRange
    ) throws(RealmError) -> BoundCondition {
        guard limits.elements.count == 2 else {
            throw invalid(
                "betweenArity", limits.range,
                "BETWEEN takes two limits, not \(limits.elements.count)")
        }
        let target = try staticType(of: tree)
        let bound = try operand(tree, target: nil)
        if isPredicate, bound.shape != .scalar {
            return try single(tree, bound, limits, target, range)
        }
        try checkCollection(bound, tree.range)
        if let column = bound.directColumn, column.type == .int || column.type == .timestamp {
            return try rangeTest(tree, column, limits, target)
        }
        return .and([
            try half(tree, bound, .greaterEqual, limits.elements[0], target, range),
            try half(tree, bound, .lessEqual, limits.elements[1], target, range),
        ])
    }

    /// Binds BETWEEN for a path with several values, in a text with the semantics of `NSPredicate`.
    /// The condition is true if one value is between both limits.
    private mutating func single(
        _ tree: QueryOperand, _ bound: BoundOperand, _ limits: QueryList, _ target: OperandType?,
        _ range: SourceRange
    ) throws(RealmError) -> BoundCondition {
        if bound.quantifier == QueryQuantifier.none {
            return .not(try single(tree, bound.with(.any), limits, target, range))
        }
        _ = try half(tree, bound, .greaterEqual, limits.elements[0], target, range)
        _ = try half(tree, bound, .lessEqual, limits.elements[1], target, range)
        let high = try typed(limits.elements[1].constant, target, limits.elements[1].range)
        let low = QueryOperand(
            kind: .constant(limits.elements[0].constant), range: limits.elements[0].range)
        return .comparison(
            BoundComparison(
                relation: .greaterEqual,
                left: bound.with(bound.quantifier ?? .any),
                right: try operand(low, target: target), upperLimit: high.value))
    }

    /// Throws if the left side of BETWEEN is a collection of values without the quantifier ALL.
    private func checkCollection(
        _ operand: BoundOperand, _ range: SourceRange
    ) throws(RealmError) {
        guard case .path(let path) = operand.kind, case .collection = path.end,
            operand.quantifier != .all
        else { return }
        throw invalid(
            "betweenQuantifier", range, "BETWEEN on a list of values needs ALL before the list")
    }

    /// Binds one limit of BETWEEN as a comparison. `bound` is the left side, which the caller has
    /// bound once for both limits: binding it for each limit would double the work with each level
    /// of nesting.
    private mutating func half(
        _ tree: QueryOperand, _ bound: BoundOperand, _ relation: QueryRelation,
        _ limit: QueryElement, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> BoundCondition {
        let right = QueryOperand(kind: .constant(limit.constant), range: limit.range)
        return try checkedComparison(
            QueryComparison(
                left: tree, relation: relation, foldsCase: false, right: right, range: range),
            bound, try operand(right, target: target))
    }

    private func rangeTest(
        _ tree: QueryOperand, _ column: BoundColumn, _ limits: QueryList, _ target: OperandType?
    ) throws(RealmError) -> BoundCondition {
        var values: [Value] = []
        for element in limits.elements {
            let limit = try typed(element.constant, target, element.range)
            guard limit.type != .null else {
                throw source.error(
                    .invalidArgument, "betweenNull", at: element.range,
                    "a limit of BETWEEN cannot be null")
            }
            guard limit.type.isComparable(with: column.type) else {
                throw mismatch(column.type, limit.type, element.range)
            }
            values.append(limit.value)
        }
        return .test(
            ColumnTest(
                column: column, range: tree.range.through(limits.range), relation: .equal,
                operand: .range(values[0], values[1])))
    }
}
