extension ColumnTest {
    /// A property against one constant; nil when a value of that type cannot bear `[c]`.
    convenience init?(
        _ column: BoundColumn, _ relation: QueryRelation, folding: TextFolding,
        _ constant: QueryBinder.Typed, range: SourceRange
    ) {
        let isStrict = constant.type == column.type
        // [c] means nothing to a number; a value of another type must be able to bear it.
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
