/// A condition made by a program instead of written as text: what typed APIs build. It means what
/// the text of the same shape means (query language 3 to 21). Free to cross threads.
public enum QueryPredicate: Sendable {
    /// TRUEPREDICATE or FALSEPREDICATE.
    case always(Bool)
    case and([QueryPredicate])
    case or([QueryPredicate])
    indirect case not(QueryPredicate)
    /// Two operands and what is asked of them; `foldsCase` is `[c]`.
    case comparison(
        QueryExpression, QueryRelation, QueryExpression, foldsCase: Bool = false)
    /// `BETWEEN {low, high}`, both included.
    indirect case between(QueryExpression, QueryArgument, QueryArgument)
    /// GEOWITHIN.
    indirect case within(QueryExpression, GeoShape)
}

/// One side of a comparison.
public enum QueryExpression: Sendable {
    /// A value; a list argument counts as a list.
    case constant(QueryArgument)
    /// Several values, with ANY, ALL or NONE in front.
    case list([QueryArgument], QueryQuantifier?)
    /// A property of the object itself.
    case property(String)
    case path([QueryStep], QueryQuantifier? = nil)
    /// Elements of a collection, bytes of a text: `.@count`.
    case count([QueryStep], QueryQuantifier? = nil)
    /// `.@type`.
    case type([QueryStep], QueryQuantifier? = nil)
    /// `@min` and its kin, of a collection or of a property of linked objects.
    indirect case aggregate(AggregateFunction, [QueryStep], of: String? = nil)
    /// How many of the objects linked to satisfy a condition: `SUBQUERY(...).@count`.
    indirect case subqueryCount([QueryStep], QueryPredicate)
    indirect case arithmetic(QueryExpression, QueryArithmetic, QueryExpression)
}

/// A step of a path (query language 5).
public enum QueryStep: Sendable, ExpressibleByStringLiteral {
    /// A property, a key of a dictionary, or `@links`, `@keys`, `@values`.
    case name(String)
    case index(Int)
    case first
    case last
    /// `[*]`
    case all
    /// A key of a dictionary, even where a property has that name.
    case key(String)

    public init(stringLiteral name: String) { self = .name(name) }
}

/// What happens to the matches, one after the other (query language 22).
public enum QueryArrangement: Sendable {
    /// By several keys, the first of which counts most.
    case sort([(path: [QueryStep], isAscending: Bool)])
    /// The first object of every combination of values.
    case distinct([[QueryStep]])
    case limit(Int)
}

extension Query {
    /// The query of a condition and what follows it. Throws `misuse` when the condition is nested
    /// too deeply.
    public init(
        _ predicate: QueryPredicate, _ arrangements: [QueryArrangement] = [],
        aliases: KeyPathAliases = KeyPathAliases()
    ) throws(RealmError) {
        if arrangements.isEmpty, let plain = PlainComparison(predicate) {
            self.init(plain, aliases: aliases)
        } else {
            try self.init(treeOf: predicate, arrangements, aliases: aliases)
        }
    }

    init(
        treeOf predicate: QueryPredicate, _ arrangements: [QueryArrangement],
        aliases: KeyPathAliases
    ) throws(RealmError) {
        var builder = QueryTreeBuilder()
        let condition = try builder.condition(predicate, depth: 0)
        let descriptors = arrangements.map(builder.descriptor)
        self.init(
            tree: QueryTree(condition: condition, descriptors: descriptors),
            arguments: builder.arguments, aliases: aliases)
    }
}

/// Turns predicates into the tree the parser makes of text. Values become arguments.
private struct QueryTreeBuilder {
    private(set) var arguments: [QueryArgument] = []

    mutating func condition(
        _ predicate: QueryPredicate, depth: Int
    ) throws(RealmError) -> QueryCondition {
        try QueryLimits.checkDepth(depth)
        switch predicate {
        case .always(let value): return .constant(value)
        case .and(let parts): return .and(try conditions(parts, depth))
        case .or(let parts): return .or(try conditions(parts, depth))
        case .not(let part): return .not(try condition(part, depth: depth + 1))
        case .comparison(let left, let relation, let right, let foldsCase):
            let first = try operand(left, depth + 1)
            return .comparison(
                QueryComparison(
                    left: first, relation: relation, foldsCase: foldsCase,
                    right: try operand(right, depth + 1), range: .none))
        case .between(let value, let low, let high):
            let operand = try operand(value, depth + 1)
            return .between(operand, list([low, high], nil), .none)
        case .within(let value, let shape):
            guard case .property(let property) = try operand(value, depth + 1).kind else {
                throw .misuse(
                    "GEOWITHIN needs a path on its left side", code: "InvalidQuery",
                    reason: "geoTarget")
            }
            return .geoWithin(property, .argument(number(of: .geo(shape))), .none)
        }
    }

    private mutating func conditions(
        _ predicates: [QueryPredicate], _ depth: Int
    ) throws(RealmError) -> [QueryCondition] {
        var result: [QueryCondition] = []
        for predicate in predicates { result.append(try condition(predicate, depth: depth + 1)) }
        return result
    }

    private mutating func operand(
        _ expression: QueryExpression, _ depth: Int
    ) throws(RealmError) -> QueryOperand {
        try QueryLimits.checkDepth(depth)
        return QueryOperand(kind: try kind(of: expression, depth), range: .none)
    }

    private mutating func kind(
        of expression: QueryExpression, _ depth: Int
    ) throws(RealmError) -> QueryOperand.Kind {
        switch expression {
        case .constant(let value): return .constant(.argument(number(of: value), nil))
        case .list(let values, let quantifier): return .list(list(values, quantifier))
        case .property(let name): return property([.name(name)], nil, .none)
        case .path(let steps, let quantifier): return property(steps, quantifier, .none)
        case .count(let steps, let quantifier): return property(steps, quantifier, .count)
        case .type(let steps, let quantifier): return property(steps, quantifier, .type)
        case .aggregate(let function, let steps, let name):
            return .aggregate(
                QueryAggregate(
                    path: path(steps), function: function, functionRange: .none,
                    property: name.map { step(.name($0)) }))
        case .subqueryCount(let steps, let predicate):
            // Scopes are told apart by their depth.
            let variable = Array("$\(depth)".utf8)
            return .subquery(
                QuerySubquery(
                    path: path(steps), variable: variable, variableRange: .none,
                    condition: try condition(predicate, depth: depth + 1)))
        case .arithmetic(let left, let sign, let right):
            let first = try operand(left, depth + 1)
            let second = try operand(right, depth + 1)
            return .arithmetic(
                first, [ArithmeticTerm(sign: sign, operand: second, range: .none)])
        }
    }

    private func property(
        _ steps: [QueryStep], _ quantifier: QueryQuantifier?, _ suffix: QueryProperty.Suffix
    ) -> QueryOperand.Kind {
        .property(
            QueryProperty(
                quantifier: quantifier, path: path(steps), suffix: suffix, range: .none))
    }

    private mutating func list(
        _ values: [QueryArgument], _ quantifier: QueryQuantifier?
    ) -> QueryList {
        let elements = values.map {
            QueryElement(constant: .argument(number(of: $0), nil), range: .none)
        }
        return QueryList(quantifier: quantifier, elements: elements, range: .none)
    }

    private mutating func number(of value: QueryArgument) -> Int {
        arguments.append(value)
        return arguments.count - 1
    }

    private func path(_ steps: [QueryStep]) -> QueryPath {
        QueryPath(steps: steps.map(step), range: .none)
    }

    private func step(_ step: QueryStep) -> QueryPath.Step {
        let kind: QueryPath.Kind =
            switch step {
            case .name(let name): .name(Array(name.utf8))
            case .index(let index): .index(.at(Int64(index)))
            case .first: .index(.first)
            case .last: .index(.last)
            case .all: .index(.all)
            case .key(let key): .index(.key(Array(key.utf8)))
            }
        return QueryPath.Step(kind: kind, range: .none)
    }

    func descriptor(_ arrangement: QueryArrangement) -> QueryDescriptor {
        switch arrangement {
        case .sort(let keys):
            .sort(keys.map { QuerySortKey(path: path($0.path), isAscending: $0.isAscending) })
        case .distinct(let paths): .distinct(paths.map(path))
        case .limit(let count): .limit(Int64(max(0, count)))
        }
    }
}
