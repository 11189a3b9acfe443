/// BETWEEN (query language 12).
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
        try checkCollection(bound, tree.range)
        if let column = bound.directColumn, column.type == .int || column.type == .timestamp {
            return try rangeTest(tree, column, limits, target)
        }
        return .and([
            try half(tree, .greaterEqual, limits.elements[0], range),
            try half(tree, .lessEqual, limits.elements[1], range),
        ])
    }

    /// Collections of values take part only with ALL.
    private func checkCollection(
        _ operand: BoundOperand, _ range: SourceRange
    ) throws(RealmError) {
        guard case .path(let path) = operand.kind, case .collection = path.end,
            operand.quantifier != .all
        else { return }
        throw invalid(
            "betweenQuantifier", range, "BETWEEN on a list of values needs ALL before the list")
    }

    private mutating func half(
        _ tree: QueryOperand, _ relation: QueryRelation, _ limit: QueryElement,
        _ range: SourceRange
    ) throws(RealmError) -> BoundCondition {
        let right = QueryOperand(kind: .constant(limit.constant), range: limit.range)
        return try comparison(
            QueryComparison(
                left: tree, relation: relation, foldsCase: false, right: right, range: range))
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
                throw invalid(
                    "typeMismatch", element.range,
                    "\(column.type.named) cannot be compared with \(limit.type.named)")
            }
            values.append(limit.value)
        }
        return .test(
            ColumnTest(
                column: column, range: tree.range.through(limits.range), relation: .equal,
                foldsCase: false, operand: .range(values[0], values[1])))
    }
}
