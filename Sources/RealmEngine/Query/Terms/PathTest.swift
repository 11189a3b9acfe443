/// A path over links compared with constants: a test of the objects at its far end.
struct PathTest {
    /// With the path on its left side.
    let comparison: BoundComparison
    let path: BoundPath
    let operand: ColumnTest.Operand

    /// Nil for every other kind of comparison.
    init?(_ comparison: BoundComparison) {
        var comparison = comparison
        if comparison.left.isConstant, comparison.left.shape == .scalar,
            !comparison.relation.isTextual, comparison.upperLimit == nil
        {
            comparison = BoundComparison(
                relation: comparison.relation.mirrored, folding: comparison.folding,
                left: comparison.right, right: comparison.left)
        }
        guard !comparison.folding.dropsMarks, comparison.pattern == nil,
            case .path(let path) = comparison.left.kind,
            !path.hops.isEmpty,
            let operand = Self.operand(comparison),
            path.hops.allSatisfy({ $0.kind != .dictionary && $0.selector.isAll })
        else { return nil }
        self.comparison = comparison
        self.path = path
        self.operand = operand
    }

    /// What the value at the end of the path is compared with.
    private static func operand(_ comparison: BoundComparison) -> ColumnTest.Operand? {
        if let value = comparison.right.constantValue {
            guard let upperLimit = comparison.upperLimit else { return .general(value) }
            if case .null = value { return nil }
            if case .null = upperLimit { return nil }
            return .range(value, upperLimit)
        }
        guard let values = comparison.right.constantList, comparison.relation == .equal,
            comparison.right.quantifier == nil || comparison.right.quantifier == .any
        else { return nil }
        // Lists on both sides are compared in ways of their own.
        if comparison.left.shape == .scalar { return .anyOf(values) }
        let isPlain =
            comparison.left.quantifier == .any || comparison.left.quantifier == QueryQuantifier.none
        return isPlain ? .anyOf(values) : nil
    }

    /// Of a single object, some and all are the same; none is their opposite, but says nothing about
    /// a single constant either (query language 11).
    var quantifier: QueryQuantifier {
        let written = comparison.left.quantifier ?? .any
        guard path.isToOne else { return written }
        return written == .none && comparison.right.shape != .scalar ? .none : .any
    }

    /// The test of each object reached; nil when the path does not end on a property.
    var test: ColumnTest? {
        guard case .scalar(let column) = path.end else { return nil }
        return ColumnTest(
            column: column, range: .none, relation: comparison.relation,
            folding: comparison.folding, operand: operand)
    }

    /// Whether the condition holds where one of the links is null.
    func acceptsMissing(_ test: ColumnTest) -> Bool { path.isToOne && test.matches(.null) }
}
