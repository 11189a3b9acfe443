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

extension QueryBinder {
    /// The query bound to the class; nil when the general way has to see about it, or to say what is
    /// wrong.
    func bind(_ plain: PlainComparison) -> BoundQuery? {
        guard plain.relation != .in, plain.relation != .text, plain.value.isScalar,
            let index = table.columnIndex(named: plain.name),
            let column = ownValue(index),
            let value = try? coerced(plain.value, column.type, .none),
            !value.type.isLink, value.type.isComparable(with: column.type),
            value.type.isText || !plain.relation.isTextual,
            let test = ColumnTest(
                column, plain.relation, folds: plain.foldsCase, value, range: .none),
            test.foldsWholeCharacters
        else { return nil }
        return BoundQuery(
            table: table, source: source, condition: .test(test), descriptors: [], pool: pool,
            isKept: false)
    }
}

extension QueryArgument {
    /// A value of its own, neither of several nor one that has to be looked up or read.
    fileprivate var isScalar: Bool {
        switch self {
        case .object, .text, .list, .geo: false
        default: true
        }
    }
}
