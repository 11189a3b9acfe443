// Programs build parts of queries with these functions. Mistakes are reported when the query is
// bound.

extension QueryCondition {
    /// Makes TRUEPREDICATE or FALSEPREDICATE.
    public static func always(_ value: Bool) -> QueryCondition { QueryCondition(.constant(value)) }

    /// Combines conditions with AND. Without conditions, the result is true.
    public static func and(_ parts: [QueryCondition]) -> QueryCondition {
        QueryCondition(.and(parts))
    }

    /// Combines conditions with OR. Without conditions, the result is false.
    public static func or(_ parts: [QueryCondition]) -> QueryCondition {
        QueryCondition(.or(parts))
    }

    public static func not(_ part: QueryCondition) -> QueryCondition { QueryCondition(.not(part)) }

    /// Compares two operands.
    ///
    /// - Parameters:
    ///     - foldsCase: whether to ignore case, as `[c]` does.
    ///     - foldsMarks: whether to ignore diacritical marks, as `[d]` does.
    public static func comparison(
        _ left: QueryOperand, _ relation: QueryRelation, _ right: QueryOperand,
        foldsCase: Bool = false, foldsMarks: Bool = false
    ) -> QueryCondition {
        QueryCondition(
            .comparison(
                QueryComparison(
                    left: left, relation: relation, foldsCase: foldsCase, foldsMarks: foldsMarks,
                    right: right, range: .none)))
    }

    /// `BETWEEN {low, high}`, including both limits.
    public static func between(
        _ operand: QueryOperand, _ low: QueryArgument, _ high: QueryArgument
    ) -> QueryCondition {
        QueryCondition(.between(operand, QueryList([low, high]), .none))
    }

    /// GEOWITHIN: true if a region contains the point at the end of the path.
    public static func within(_ path: QueryPath, _ shape: GeoShape) -> QueryCondition {
        let property = QueryProperty(quantifier: nil, path: path, suffix: .none, range: path.range)
        return QueryCondition(.geoWithin(property, .shape(shape), .none))
    }
}

extension QueryOperand {
    /// Makes a constant operand. A list argument becomes a list of constants.
    public static func constant(_ value: QueryArgument) -> QueryOperand {
        QueryOperand(kind: .constant(.value(value)))
    }

    /// Makes an operand from a list of constants, optionally with ANY, ALL or NONE before it.
    public static func list(
        _ values: [QueryArgument], _ quantifier: QueryQuantifier? = nil
    ) -> QueryOperand {
        QueryOperand(kind: .list(QueryList(values, quantifier)))
    }

    /// A property of the queried object.
    public static func property(_ name: String) -> QueryOperand { path(QueryPath(name)) }

    /// Operand for the values at the end of a path.
    public static func path(
        _ path: QueryPath, _ quantifier: QueryQuantifier? = nil
    ) -> QueryOperand { property(path, quantifier, .none) }

    /// Number of elements of a collection, or of bytes of a text: `.@count`.
    public static func count(
        _ path: QueryPath, _ quantifier: QueryQuantifier? = nil
    ) -> QueryOperand { property(path, quantifier, .count) }

    /// Operand for the type of each value at the end of a path: `path.@type`.
    public static func type(
        _ path: QueryPath, _ quantifier: QueryQuantifier? = nil
    ) -> QueryOperand { property(path, quantifier, .type) }

    private static func property(
        _ path: QueryPath, _ quantifier: QueryQuantifier?, _ suffix: QueryProperty.Suffix
    ) -> QueryOperand {
        QueryOperand(
            kind: .property(
                QueryProperty(
                    quantifier: quantifier, path: path, suffix: suffix, range: path.range)),
            range: path.range)
    }

    /// An aggregate such as `@min`, of a collection or of a property of linked objects.
    public static func aggregate(
        _ function: AggregateFunction, _ path: QueryPath, of property: QueryStep? = nil
    ) -> QueryOperand {
        QueryOperand(
            kind: .aggregate(
                QueryAggregate(
                    path: path, function: function, functionRange: .none, property: property)))
    }

    /// Number of objects at the end of `path` that match `condition`: `SUBQUERY(...).@count`. The
    /// paths in `condition` begin at these objects.
    public static func subqueryCount(
        _ path: QueryPath, _ condition: QueryCondition
    ) -> QueryOperand {
        QueryOperand(
            kind: .subquery(
                QuerySubquery(
                    path: path, variable: nil, variableRange: .none, condition: condition)))
    }

    /// Makes the operand for a function such as `@count` or `@max`; nil for any other name.
    package static func function(
        _ name: String, _ path: QueryPath, of property: QueryStep? = nil
    ) -> QueryOperand? {
        guard let function = AggregateFunction.named(operator: name) else { return nil }
        return function == .count ? .count(path) : .aggregate(function, path, of: property)
    }

    /// The operand of a key path, given as the names of its properties and functions: `["items",
    /// "@count"]`.
    package static func keyPath(_ names: [String]) -> QueryOperand {
        let steps = names.map { QueryStep(kind: .name($0), isQuoted: !$0.hasPrefix("@")) }
        for (i, name) in names.enumerated() where i > 0 && name.hasPrefix("@") {
            let path = QueryPath(Array(steps[..<i]))
            let property = steps[(i + 1)...].first
            if let operand = function(name, path, of: property) { return operand }
        }
        return .path(QueryPath(steps))
    }

    public static func arithmetic(
        _ left: QueryOperand, _ sign: QueryArithmetic, _ right: QueryOperand
    ) -> QueryOperand {
        QueryOperand(
            kind: .arithmetic(left, [ArithmeticTerm(sign: sign, operand: right, range: .none)]))
    }
}

extension QueryList {
    init(_ values: [QueryArgument], _ quantifier: QueryQuantifier? = nil) {
        self.init(
            quantifier: quantifier,
            elements: values.map { QueryElement(constant: .value($0), range: .none) }, range: .none)
    }
}

extension QueryPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// Makes a path from its steps. There must be at least one.
    public init(_ steps: [QueryStep]) { self.init(steps, .none) }

    init(_ steps: [QueryStep], _ range: SourceRange) {
        self.init(
            first: steps.first ?? .name(""), rest: Array(steps.dropFirst()), range: range)
    }

    package init(first: QueryStep, rest: [QueryStep]) {
        self.init(first: first, rest: rest, range: .none)
    }

    /// Makes the path of a property of the queried object.
    public init(_ property: String) { self.init(first: .property(property), rest: []) }

    public init(stringLiteral name: String) { self.init(first: .name(name), rest: []) }

    public init(arrayLiteral steps: QueryStep...) { self.init(steps) }
}

extension QueryStep: ExpressibleByStringLiteral {
    /// A property, a key of a dictionary, or `@links`, `@keys`, `@values`.
    public static func name(_ name: String) -> QueryStep { QueryStep(kind: .name(name)) }

    /// Makes the step for a property or dictionary key with any name, even if it begins with `@`.
    public static func property(_ name: String) -> QueryStep {
        QueryStep(kind: .name(name), isQuoted: true)
    }

    public static func index(_ index: Int) -> QueryStep {
        QueryStep(kind: .index(.at(Int64(index))))
    }

    public static let first = QueryStep(kind: .index(.first))
    public static let last = QueryStep(kind: .index(.last))
    /// Step that selects all elements of a collection: `[*]`.
    public static let all = QueryStep(kind: .index(.all))

    /// Makes the step for a dictionary key, even if a property has that name.
    public static func key(_ key: String) -> QueryStep { QueryStep(kind: .index(.key(key))) }

    public init(stringLiteral name: String) { self.init(kind: .name(name)) }
}
