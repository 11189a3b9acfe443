/// A comparison of a path over links with constants, as a test of the objects at the end of the
/// path.
struct PathTest {
    /// The comparison, with the path on the left side.
    let comparison: BoundComparison
    let path: BoundPath
    let operand: ColumnTest.Operand

    /// Nil unless the comparison is between a path over links and constants.
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

    /// Returns the constants with which the values at the end of the path are compared; nil if this
    /// form of comparison is not supported.
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
        // If the path has several values, two lists are compared. Only with ANY or NONE on the left
        // is each of its values compared with all constants.
        if comparison.left.shape == .scalar { return .anyOf(values) }
        let isPlain =
            comparison.left.quantifier == .any || comparison.left.quantifier == QueryQuantifier.none
        return isPlain ? .anyOf(values) : nil
    }

    /// Quantifier by which the comparison is evaluated. For a path to a single object, ANY and ALL
    /// have the same meaning, and NONE negates it; but NONE has no effect if the right side is a
    /// single constant (query language 11).
    var quantifier: QueryQuantifier {
        let written = comparison.left.quantifier ?? .any
        guard path.isToOne else { return written }
        return written == .none && comparison.right.shape != .scalar ? .none : .any
    }

    /// Test of the property at the end of the path against constants; nil if the path does not end
    /// at a single value.
    var test: ColumnTest? {
        guard case .scalar(let column) = path.end else { return nil }
        return ColumnTest(
            column: column, range: .none, relation: comparison.relation,
            folding: comparison.folding, operand: operand)
    }

    /// Whether the comparison is true if one of the path's links is null.
    func acceptsMissing(_ test: ColumnTest) -> Bool { path.isToOne && test.matches(.null) }
}
