/// Binds aggregates and SUBQUERY (query language 17 and 19).
extension QueryBinder {
    /// Binds an aggregate.
    ///
    /// Returns the operand, and the type to which a constant on the other side of the comparison is
    /// converted. For a collection of numbers or mixed values, that type is the type of the
    /// elements; otherwise it is the result type.
    func aggregate(
        _ tree: QueryAggregate, _ range: SourceRange
    ) throws(RealmError) -> (target: OperandType, operand: BoundOperand) {
        let path = try resolve(tree.path)
        let property: BoundColumn?
        let element: OperandType
        let shape: OperandShape
        switch path.end {
        case .objects where !path.hops.isEmpty:
            guard case .all = path.hops[path.hops.count - 1].selector else {
                throw unsupported(tree, range)
            }
            let column = try linkedProperty(tree, path, range)
            property = column
            element = column.type
            shape = .scalar
        case .collection(let column, .all):
            guard tree.property == nil else { throw unsupported(tree, range) }
            property = nil
            element = column.type
            if !isOrderOfDates(tree, element) {
                let isDictionary = column.layout.collection == .dictionary
                try check(tree, element, isDictionary: isDictionary, range)
            }
            shape = path.isToOne ? .scalar : .list
        case .scalar where isPredicate: throw quantifierError(tree, path, range)
        default: throw unsupported(tree, range)
        }
        let aggregate = BoundAggregate(
            tree.function, BoundPath(path), property: property, element: element)
        let operand = BoundOperand(
            kind: .aggregate(aggregate), type: tree.function.resultType(element), shape: shape,
            range: range)
        let isOfElements = property == nil && (element.isNumeric || element == .mixed)
        return (isOfElements ? element : operand.type, operand)
    }

    /// Whether this is the minimum or maximum of a collection of dates, which only predicates
    /// allow.
    private func isOrderOfDates(_ tree: QueryAggregate, _ element: OperandType) -> Bool {
        isPredicate && element == .timestamp && tree.function.isDefined(for: element)
    }

    /// Returns the property that the aggregate reads from the objects at the end of the path.
    private func linkedProperty(
        _ tree: QueryAggregate, _ path: ResolvedPath, _ range: SourceRange
    ) throws(RealmError) -> BoundColumn {
        guard let step = tree.property, case .name(let name) = step.kind else {
            throw unsupported(tree, range)
        }
        guard let index = path.table.columnIndex(named: name) else {
            throw unknownProperty(name, in: path.table, step.range, reason: "aggregateUnsupported")
        }
        let info = path.table.columns[index]
        let column = BoundColumn(info)
        guard info.collection == nil, tree.function.isDefined(for: column.type) else {
            throw unsupported(tree, range)
        }
        return column
    }

    private func check(
        _ tree: QueryAggregate, _ element: OperandType, isDictionary: Bool, _ range: SourceRange
    ) throws(RealmError) {
        guard isDictionary || element.isNumeric || element == .mixed else {
            throw unsupported(tree, range)
        }
    }

    private func unsupported(_ tree: QueryAggregate, _ range: SourceRange) -> RealmError {
        let name = source.quote(tree.functionRange)
        return invalid(
            "aggregateUnsupported", range, "\(name) is not available for '\(source.quote(range))'")
    }

    /// Makes the error for a quantifier before an aggregate, worded as the SDK words it for
    /// predicates.
    private func quantifierError(
        _ tree: QueryAggregate, _ path: ResolvedPath, _ range: SourceRange
    ) -> RealmError {
        let name = tree.path.names.last.flatMap { $0 } ?? ""
        let text =
            range.start < 0 ? "\(tree.path).@\(tree.function.name)" : source.quote(range)
        return .misuse(
            "Invalid keypath '\(text)': Property "
                + "'\(path.table.className).\(name)' is not a link or collection and can only "
                + "appear at the end of a keypath.", code: "InvalidQuery",
            reason: "aggregateUnsupported")
    }

    mutating func subquery(
        _ tree: QuerySubquery, _ range: SourceRange
    ) throws(RealmError) -> BoundOperand {
        let path = try resolve(tree.path)
        guard case .objects = path.end, let last = path.hops.last,
            last.kind == .list || last.kind == .backlink
                || isPredicate && last.kind != .toOne,
            last.selector.isAll
        else {
            throw invalid(
                "subqueryTarget", tree.path.range,
                "SUBQUERY needs a list of links, which '\(source.quote(tree.path.range))' is not")
        }
        let outer = (table, aliases, variables)
        table = path.table
        if let variable = tree.variable {
            let isTaken = variables.contains {
                $0.name == variable && $0.table == path.table.key
            }
            guard !isTaken else {
                throw invalid(
                    "subqueryVariable", tree.variableRange,
                    "the variable '\(source.quote(tree.variableRange))' is already in use")
            }
            aliases.add(variable, for: "", in: path.table.key)
            variables.append((variable, path.table.key))
        }
        defer { (table, aliases, variables) = outer }
        let condition = try self.condition(tree.condition)
        return BoundOperand(
            kind: .subquery(BoundSubquery(BoundPath(path), condition)), type: .int,
            shape: .scalar, range: range)
    }
}
