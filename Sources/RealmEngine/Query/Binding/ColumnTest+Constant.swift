extension ColumnTest {
    /// A property against one constant; nil when a value of that type cannot bear `[c]`.
    convenience init?(
        _ column: BoundColumn, _ relation: QueryRelation, folds: Bool,
        _ constant: QueryBinder.Typed, range: SourceRange
    ) {
        let isStrict = constant.type == column.type
        // [c] means nothing to a number; a value of another type must be able to bear it.
        let isIgnored =
            isStrict ? !column.type.isText : column.type == .mixed && !constant.type.isText
        let isCaseless = isStrict && relation == .equal && Self.isCaseless(constant.value)
        let folds = folds && !isIgnored && !isCaseless
        if folds, !constant.type.isText { return nil }
        self.init(
            column: column, range: range, relation: relation, foldsCase: folds,
            operand: isStrict ? .strict(constant.value) : .general(constant.value))
    }
}
