/// Binds comparisons of predicates (query language 25). They differ from the query language in five
/// points: ANY is implied, NONE negates ANY, constants are moved to the right side, no text
/// contains an empty text, and a mixed value that is a text equals the same bytes.
extension QueryBinder {
    /// Returns the condition for the two operands of a predicate's comparison.
    func predicate(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand
    ) throws(RealmError) -> BoundCondition {
        guard left.isConstant, left.shape == .scalar, !right.isConstant, !tree.relation.isTextual
        else { return try quantified(tree, left, right) }
        // Check in the written order, so that errors refer to the sides as written.
        _ = try checkedComparison(tree, left, right)
        var mirrored = tree
        (mirrored.left, mirrored.right) = (tree.right, tree.left)
        mirrored.relation = tree.relation == .in ? .equal : tree.relation.mirrored
        return try quantified(mirrored, right, left)
    }

    private func quantified(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand
    ) throws(RealmError) -> BoundCondition {
        if left.quantifier == QueryQuantifier.none {
            return .not(try quantified(tree, left.with(.any), right))
        }
        let isImplied =
            left.shape != .scalar && left.quantifier == nil && !left.isConstant && right.isConstant
        let left = isImplied ? left.with(.any) : left
        let isPart = tree.relation.isTextual && tree.relation != .like
        if isPart, let value = right.constantValue, value.isNothing {
            _ = try checkedComparison(tree, left, right)
            return .constant(false)
        }
        var condition = try checkedComparison(tree, left, right)
        if let other = otherReading(of: right, for: left, tree.relation) {
            let twin = try checkedComparison(tree, left, other)
            condition =
                tree.relation == .notEqual ? .and([condition, twin]) : .or([condition, twin])
        }
        guard isPart, let isFilled = filled(right) else { return condition }
        return .and([isFilled, condition])
    }

    /// Returns the constants on the right side of a comparison in their other form: texts as bytes
    /// and, for string operators, bytes as texts. Predicates treat texts and bytes in mixed values
    /// alike, so both forms are compared. Nil if there is nothing to convert.
    private func otherReading(
        of right: BoundOperand, for left: BoundOperand, _ relation: QueryRelation
    ) -> BoundOperand? {
        guard left.type == .mixed, case .constant(let buffer) = right.kind else { return nil }
        var values: [Value] = []
        for value in buffer.values.all {
            switch value {
            case .string(let text): values.append(.binary(text))
            case .binary(let bytes) where relation.isTextual: values.append(.string(bytes))
            default: break
            }
        }
        guard let first = values.first else { return nil }
        return BoundOperand(
            kind: .constant(ValueBuffer(values)),
            type: right.shape == .list ? .mixed : OperandType(first), shape: right.shape,
            quantifier: right.quantifier, range: right.range)
    }

    /// Returns the condition `right.@size > 0` for the property on the right side of a string
    /// operator. Nil if the right side is not a property.
    private func filled(_ right: BoundOperand) -> BoundCondition? {
        guard case .path(let path) = right.kind, case .scalar = path.end, right.shape == .scalar
        else { return nil }
        let size = BoundOperand(
            kind: .size(path), type: .int, shape: .scalar, range: right.range)
        let zero = BoundOperand(
            kind: .constant(ValueBuffer([.int(0)])), type: .int, shape: .scalar,
            range: right.range)
        return .comparison(
            BoundComparison(relation: .greater, left: size, right: zero))
    }

    /// Converts a number of an IN list to the type of a float or double property; returns other
    /// values unchanged.
    func number(_ value: Value, as type: OperandType) -> Value {
        switch (type, value) {
        case (.double, .int(let x)): .double(Double(x))
        case (.double, .float(let x)): .double(Double(x))
        case (.float, .int(let x)): .float(Float(x))
        default: value
        }
    }
}

extension Value {
    /// Whether the value is null, an empty text or empty bytes.
    fileprivate var isNothing: Bool {
        switch self {
        case .null: true
        case .string(let text), .binary(let text): text.count == 0
        default: false
        }
    }
}
