extension ColumnTest {
    /// Makes the test of a property against one constant; nil if `[c]` is not allowed for the
    /// constant's type.
    convenience init?(
        _ column: BoundColumn, _ relation: QueryRelation, folding: TextFolding,
        _ constant: QueryBinder.Typed, range: SourceRange
    ) {
        let isStrict = constant.type == column.type
        // `[c]` applies only to text. It is ignored for a column that cannot store text, and for a
        // constant of a mixed column that is not text. Everywhere else the constant must be a text.
        let isIgnored =
            isStrict ? !column.type.isText : column.type == .mixed && !constant.type.isText
        let isCaseless =
            isStrict && relation == .equal && !folding.dropsMarks && Self.isCaseless(constant.value)
        var folding = isIgnored || isCaseless ? .none : folding
        if folding.foldsCase, !constant.type.isText { return nil }
        folding = folding.simplified(for: constant.value)
        self.init(
            column: column, range: range, relation: relation, folding: folding,
            operand: isStrict ? .strict(constant.value) : .general(constant.value))
    }
}

extension TextFolding {
    fileprivate func simplified(for constant: Value) -> TextFolding {
        guard case .string(let text) = constant else { return self }
        return simplified(for: text)
    }
}
