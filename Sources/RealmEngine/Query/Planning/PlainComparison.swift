/// A property of the queried objects compared with a value: what most conditions of programs are.
/// It is bound as it stands, where nothing about it needs a second look.
struct PlainComparison: Sendable {
    let name: String
    let relation: QueryRelation
    let value: QueryArgument
    let foldsCase: Bool

    /// Nil for any other condition.
    init?(_ predicate: QueryPredicate) {
        guard case .comparison(let left, let relation, .constant(let value), let folds) = predicate
        else { return nil }
        switch left {
        case .property(let name): self.name = name
        case .path(let steps, nil):
            guard steps.count == 1, case .name(let name) = steps[0] else { return nil }
            self.name = name
        default: return nil
        }
        self.relation = relation
        self.value = value
        foldsCase = folds
    }

    var predicate: QueryPredicate {
        .comparison(.property(name), relation, .constant(value), foldsCase: foldsCase)
    }
}

extension PlainComparison {
    /// The query bound to the class; nil when the general way has to see about it, or to say what is
    /// wrong.
    func bound(to table: Table) -> BoundQuery? {
        guard relation != .in, relation != .text,
            let place = table.info.columnIndex(named: name),
            let column = table.info.ownValue(place)
        else { return nil }
        var pool: ConstantPool?
        guard let value = typed(column.type, table, &pool), !value.type.isLink,
            value.type.isComparable(with: column.type),
            value.type.isText || !relation.isTextual,
            let test = ColumnTest(column, relation, folds: foldsCase, value, range: .none),
            test.foldsWholeCharacters
        else { return nil }
        return BoundQuery(
            table: table.info, source: QuerySource(text: []), condition: .test(test),
            descriptors: [], pool: pool, isKept: false)
    }

    /// The value as one of the other side's type; `pool` owns its bytes. Mostly it is one already.
    private func typed(
        _ target: OperandType, _ table: Table, _ pool: inout ConstantPool?
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
