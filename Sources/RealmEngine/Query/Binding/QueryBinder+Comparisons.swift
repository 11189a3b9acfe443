/// Binds comparisons: checks the operand types, and converts to tests of a single column where
/// possible (query language 10 to 14).
extension QueryBinder {
    mutating func comparison(_ tree: QueryComparison) throws(RealmError) -> BoundCondition {
        if tree.relation == .text { return try fullText(tree) }
        let (left, right) = try operands(tree)
        if isPredicate { return try predicate(tree, left, right) }
        return try checkedComparison(tree, left, right)
    }

    /// Checks that both operands can be compared and returns the condition.
    func checkedComparison(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand
    ) throws(RealmError) -> BoundCondition {
        let range = tree.left.range.through(tree.right.range)
        if left.isConstant, right.isConstant {
            throw invalid("twoConstants", range, "two constants cannot be compared")
        }
        try check(tree, left, right, range)
        try checkLists(left, right, range)
        if tree.relation == .in, !isMultiple(right) {
            throw invalidArgument(
                "inNeedsList", right.range, "IN needs a list on its right side")
        }
        return try comparison(tree, left, right)
    }

    /// Binds both sides of a comparison. The constants of each side are converted to the type of
    /// the other side.
    private mutating func operands(
        _ tree: QueryComparison
    ) throws(RealmError) -> (BoundOperand, BoundOperand) {
        // The most common case: a property, whose type is known at once, and a constant.
        if case .property(let property) = tree.left.kind, tree.right.isLiteral {
            let left = try self.property(property)
            return (left, try operand(tree.right, target: left.type))
        }
        let leftType = try staticType(of: tree.left)
        let rightType: OperandType?
        do throws(RealmError) { rightType = try staticType(of: tree.right) } catch {
            throw advised(error, unquoted: tree.right)
        }
        let left = try operand(tree.left, target: rightType)
        return (left, try operand(tree.right, target: leftType))
    }

    /// Adds a hint to an error about an unknown property: a single word on the right side is
    /// usually a text without quotes.
    private func advised(_ error: RealmError, unquoted operand: QueryOperand) -> RealmError {
        guard error.reason == "unknownProperty", case .property(let word) = operand.kind,
            word.path.rest.isEmpty, word.suffix == .none, word.quantifier == nil
        else { return error }
        return RealmError(
            error.kind, code: error.code, reason: error.reason,
            error.message + "; a text stands in quotes: \"\(source.quote(operand.range))\"",
            hint: error.hint)
    }

    /// Returns the condition for two operands whose types may be compared.
    private func comparison(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand
    ) throws(RealmError) -> BoundCondition {
        if tree.relation == .matches { return try matching(tree, left, right) }
        if let test = columnTest(tree, left, right) {
            guard test.foldsWholeCharacters else {
                throw invalid(
                    "malformedText", right.range,
                    "[c] needs whole characters, and this is malformed UTF-8")
            }
            return .test(test)
        }
        if tree.foldsCase, !tree.relation.isTextual, !right.type.isText {
            throw invalid("stringOperand", right.range, "[c] needs a string or binary value")
        }
        let relation = tree.relation == .in ? .equal : tree.relation
        return .comparison(
            BoundComparison(
                relation: relation, folding: dialect.folding(tree), left: left, right: right))
    }

    /// Binds MATCHES. The right side of MATCHES, the regular expression, must be a constant text.
    private func matching(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand
    ) throws(RealmError) -> BoundCondition {
        guard case .string(let text)? = right.constantValue else {
            throw invalid(
                "stringOperand", right.range,
                "MATCHES needs a text in quotes or an argument on its right side")
        }
        let pattern: RegularExpression
        do throws(ExpressionParser.Failure) {
            pattern = try RegularExpression(text.string, foldsCase: tree.foldsCase)
        } catch {
            throw invalid(
                "regularExpression", right.range,
                "\(error.message), at character \(error.offset + 1) of the regular expression")
        }
        if let column = left.directColumn {
            return .test(
                ColumnTest(
                    column: column, range: left.range.through(right.range), relation: .matches,
                    operand: .general(.string(text)), pattern: pattern))
        }
        return .comparison(
            BoundComparison(relation: .matches, left: left, right: right, pattern: pattern))
    }

    /// Returns the test of a property of the queried class itself against a constant or a list of
    /// constants; nil for other comparisons.
    private func columnTest(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand
    ) -> ColumnTest? {
        guard let column = left.directColumn else { return nil }
        let range = left.range.through(right.range)
        if let members = right.constantList {
            guard tree.relation == .equal || tree.relation == .in, column.type != .mixed,
                right.quantifier == nil || right.quantifier == .any
            else { return nil }
            if isPredicate, tree.foldsCase, column.type.isText { return nil }
            // The query language of the SDKs ignores `[c]` for a list of constants.
            return ColumnTest(
                column: column, range: range, relation: .equal,
                folding: dialect.foldsUnicode && column.type.isText
                    ? dialect.folding(tree) : .none,
                operand: .members(usable(members, column)))
        }
        guard let value = right.constantValue else { return nil }
        return ColumnTest(
            column, tree.relation, folding: dialect.folding(tree), (value, right.type), range: range
        )
    }

    /// Returns the constants whose type is exactly the type of the column, and null if the column
    /// is nullable. No other constants can equal a value of the column.
    private func usable(_ members: [Value], _ column: BoundColumn) -> [Value] {
        let members =
            isPredicate ? members.map { number($0, as: column.type) } : members
        return members.filter {
            let type = OperandType($0)
            return type == column.type || type == .null && column.layout.isNullable
        }
    }

    /// Whether IN accepts the operand on its right side (query language 12).
    private func isMultiple(_ operand: BoundOperand) -> Bool {
        switch operand.kind {
        case .path(let path):
            switch path.end {
            case .linkKeys, .collection(_, .keys), .collection(_, .key), .linkEntry, .nested:
                return false
            default: return operand.shape != .scalar
            }
        case .typeOf: return operand.shape == .list
        default: return operand.shape != .scalar
        }
    }
}

extension QueryRelation {
    var isOrdered: Bool {
        switch self {
        case .less, .lessEqual, .greater, .greaterEqual: true
        default: false
        }
    }

    var isTextual: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .matches: true
        default: false
        }
    }

    /// Returns the relation that is equivalent if both sides are exchanged, such as `>` for `<`.
    var mirrored: QueryRelation {
        switch self {
        case .less: .greater
        case .lessEqual: .greaterEqual
        case .greater: .less
        case .greaterEqual: .lessEqual
        default: self
        }
    }
}

// MARK: - Types

extension QueryBinder {
    fileprivate func check(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand, _ range: SourceRange
    ) throws(RealmError) {
        if tree.relation.isTextual {
            guard right.type.isText else {
                throw invalid(
                    "stringOperand", right.range,
                    "'\(source.quote(tree.range))' needs a string or binary on its right side, "
                        + "not \(right.type.named)")
            }
            return
        }
        if left.type == .typeName || right.type == .typeName {
            try checkTypeNames(tree, left, right)
        } else if left.type.isLink, !left.isConstant || !right.type.isLink {
            try checkLink(left, right, tree)
        } else if right.type.isLink {
            try checkLink(right, left, tree)
        } else {
            guard left.type.isComparable(with: right.type) else {
                throw mismatch(left.type, right.type, range)
            }
        }
    }

    func mismatch(
        _ left: OperandType, _ right: OperandType, _ range: SourceRange
    ) -> RealmError {
        let error = invalid(
            "typeMismatch", range, "\(left.named) cannot be compared with \(right.named)")
        let isDate = [left, right].contains(.timestamp) && range.start >= 0
        return isDate && !isPredicate ? source.advisingDates(error) : error
    }

    /// Throws for two collections of values, which have no defined order to compare (query language
    /// 11.1).
    fileprivate func checkLists(
        _ left: BoundOperand, _ right: BoundOperand, _ range: SourceRange
    ) throws(RealmError) {
        guard left.isPrimitiveCollection, right.isPrimitiveCollection else { return }
        throw invalid("twoLists", range, "two lists of values cannot be compared")
    }

    private func checkTypeNames(
        _ tree: QueryComparison, _ left: BoundOperand, _ right: BoundOperand
    ) throws(RealmError) {
        guard left.type == .typeName, right.type == .typeName else {
            let other = left.type == .typeName ? right : left
            throw invalidArgument(
                "typeOperand", other.range,
                "@type is compared with the name of a type or another @type")
        }
        if tree.relation.isOrdered { throw unordered(tree) }
    }

    /// Checks a comparison in which `link` has type link. `other` is the other side; if one side is
    /// a constant, it is `other`.
    private func checkLink(
        _ link: BoundOperand, _ other: BoundOperand, _ tree: QueryComparison
    ) throws(RealmError) {
        if tree.relation.isOrdered { throw unordered(tree) }
        switch other.type {
        case .link, .mixed: break
        case .null:
            guard link.shape == .scalar else {
                throw invalid(
                    "listWithNull", other.range,
                    "a list of links cannot be compared with null; use @count == 0")
            }
        default: throw noLink(other)
        }
        guard case .constant(let buffer) = other.kind, case .link(let table) = link.type else {
            return
        }
        for value in buffer.values.all {
            switch value {
            case .null: continue
            case .link(let target) where target.table == table: continue
            case .link(let target): throw wrongClass(target, table, other)
            default: throw noLink(other)
            }
        }
    }

    private func unordered(_ tree: QueryComparison) -> RealmError {
        invalid("orderedLink", tree.range, "links and types are only equal or not equal")
    }

    private func noLink(_ operand: BoundOperand) -> RealmError {
        invalid(
            "linkOperand", operand.range,
            "a link cannot be compared with \(operand.type.named)")
    }

    private func wrongClass(
        _ link: ObjectLink, _ table: TableKey, _ operand: BoundOperand
    ) -> RealmError {
        let found = schema.table(link.table)?.className ?? "?"
        let wanted = schema.table(table)?.className ?? "?"
        return invalidArgument(
            "wrongLinkClass", operand.range, "an object of class \(found) where \(wanted) is linked"
        )
    }
}
