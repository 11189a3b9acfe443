extension BoundQuery {
    /// Binds the most common condition without a binder: a comparison of a property of the queried
    /// class itself with a constant of the property's type. Nil for any other condition, and for
    /// one with an error, which the binder must report.
    convenience init?(
        shortcut parsed: ParsedQuery, _ arguments: [QueryArgument], _ aliases: KeyPathAliases,
        _ table: Table, isCached: Bool = false
    ) {
        let tree = parsed.tree
        guard tree.clauses.isEmpty, case .comparison(let comparison) = tree.condition.kind,
            !comparison.foldsMarks,
            case .property(let property) = comparison.left.kind, property.isOwn,
            case .constant(let given) = comparison.right.kind,
            case .name(let name) = property.path.first.kind,
            aliases.path(for: name, in: table.info.key) == nil,
            let place = table.info.columnIndex(named: name),
            let column = table.info.ownValue(place)
        else { return nil }
        let relation = comparison.relation
        let isTextual = relation.isTextual
        if relation == .in || relation == .text || relation == .matches { return nil }
        // Predicates have rules of their own for empty texts, and for bytes in mixed values. Leave
        // these conditions to the binder.
        if tree.dialect.isPredicate, isTextual || column.type == .mixed { return nil }
        var pool: ConstantPool?
        let range = comparison.left.range.through(comparison.right.range)
        guard let value = Self.typed(given, column.type, arguments, table, &pool),
            !value.type.isLink,
            value.type.isComparable(with: column.type), value.type.isText || !isTextual,
            let test = ColumnTest(
                column, relation, folding: tree.dialect.folding(comparison), value, range: range),
            test.foldsWholeCharacters
        else { return nil }
        self.init(
            table: table.info, source: parsed.source, condition: .test(test), descriptors: [],
            pool: pool, isCached: isCached)
    }

    /// Converts a literal or argument to the column's type; nil if only the binder can convert it.
    private static func typed(
        _ constant: QueryConstant, _ target: OperandType, _ arguments: [QueryArgument],
        _ table: Table, _ pool: inout ConstantPool?
    ) -> QueryBinder.Typed? {
        switch (constant, target) {
        case (.value(let value), _): return typed(value, target, table, &pool)
        case (.argument(let number, nil), _) where number < arguments.count:
            return typed(arguments[number], target, table, &pool)
        case (.int(let v), .int): return (.int(v), .int)
        case (.bool(let v), .bool): return (.bool(v), .bool)
        case (.timestamp(let v), .timestamp): return (.timestamp(v), .timestamp)
        case (.string(let bytes), .string):
            let constants = ConstantPool()
            pool = constants
            return (.string(constants.view(bytes)), .string)
        default: return nil
        }
    }

    /// Converts an argument to the column's type; nil if only the binder can convert it. `pool`
    /// owns the bytes of the result.
    private static func typed(
        _ value: QueryArgument, _ target: OperandType, _ table: Table, _ pool: inout ConstantPool?
    ) -> QueryBinder.Typed? {
        switch (value, target) {
        case (.int(let v), .int): return (.int(v), .int)
        case (.bool(let v), .bool): return (.bool(v), .bool)
        case (.timestamp(let v), .timestamp): return (.timestamp(v), .timestamp)
        case (.objectID(let v), .objectID): return (.objectID(v), .objectID)
        case (.uuid(let v), .uuid): return (.uuid(v), .uuid)
        case (.string(let v), .string):
            let constants = ConstantPool()
            pool = constants
            return (.string(constants.view(v)), .string)
        case (.object, _), (.text, _), (.list, _), (.geo, _): return nil
        default:
            let binder = QueryBinder(
                QuerySource(text: []), arguments: [], aliases: KeyPathAliases(), table: table)
            pool = binder.pool
            return try? binder.coerced(value, target, .none)
        }
    }
}

extension QueryProperty {
    /// Whether the operand is one property of the queried class, without links, a suffix such as
    /// `.@count`, or a quantifier.
    fileprivate var isOwn: Bool { path.rest.isEmpty && suffix == .none && quantifier == nil }
}
