import RealmEngine

/// Converts the nodes of a `where` closure (`QueryNode`) to a condition of the engine, for one
/// class of a realm.
struct QueryNodeBuilder {
    private let values: PredicateValues
    /// Class of the objects at which paths begin; nil if unknown.
    private var model: ClassModel?
    /// Collection of the subquery whose condition is being built; nil outside of subqueries. Paths
    /// that begin with this collection are shortened to begin at one of its elements: `dogs.age`
    /// becomes `age`.
    private var root: NodePath?

    static func query(
        _ node: QueryNode, _ managed: ManagedClass
    ) throws(RealmError) -> RealmEngine.Query {
        let builder = QueryNodeBuilder(
            values: PredicateValues(managed: managed), model: managed.model, root: nil)
        return try RealmEngine.Query(
            predicate: builder.condition(node), managed.dialect, aliases: managed.aliases)
    }

    private func condition(_ node: QueryNode) -> QueryCondition {
        switch node {
        // A Boolean property alone is compared with `true`; with `false` if it is negated.
        case .path: return comparison(node, .equal, .constant(true))
        case .not(.path(let path)): return comparison(.path(path), .equal, .constant(false))
        case .not(let node): return .not(condition(node))
        case .joined(let left, let isAnd, let right):
            let parts = [condition(left), condition(right)]
            return isAnd ? .and(parts) : .or(parts)
        case .comparison(let left, let relation, let right, let options):
            return comparison(left, relation, right, options)
        case .between(let node, let low, let high):
            return .between(operand(node), values.argument(low), values.argument(high))
        case .constant, .subqueryCount: throwRealmException("A condition is expected in a query.")
        }
    }

    private func comparison(
        _ left: QueryNode, _ relation: QueryRelation, _ right: QueryNode,
        _ options: StringOptions = []
    ) -> QueryCondition {
        if case .path(let path) = left, case .constant(let value) = right,
            let condition = comparison(path, relation, value)
        {
            return condition
        }
        return .comparison(
            operand(left), relation, operand(right),
            foldsCase: options.contains(.caseInsensitive),
            foldsMarks: options.contains(.diacriticInsensitive))
    }

    /// Returns the condition for a region or for a value that consists of several stored values;
    /// nil for other comparisons.
    private func comparison(
        _ path: NodePath, _ relation: QueryRelation, _ value: Any?
    ) -> QueryCondition? {
        switch relation {
        case .in:
            guard let shape = value as? any RLMGeospatial else { return nil }
            return .within(enginePath(path.parts[...]), shape.shape)
        case .equal, .notEqual:
            return values.comparison(
                enginePath(relative(path)), isEqual: relation == .equal, with: value, in: model)
        default: return nil
        }
    }

    private func operand(_ node: QueryNode) -> QueryOperand {
        switch node {
        case .path(let path): return operand(path)
        case .constant(let value): return .constant(values.argument(value))
        case .subqueryCount(let path, let condition):
            var inner = self
            (inner.root, inner.model) = (path, target(of: path))
            return .subqueryCount(enginePath(path.parts[...]), inner.condition(condition))
        case .comparison, .between, .joined, .not:
            throwRealmException("Conditions cannot be compared in a query.")
        }
    }

    /// Returns the class of the objects at the end of a path; nil if the path does not end at
    /// objects.
    private func target(of path: NodePath) -> ClassModel? {
        path.parts.reduce(model) { (model, part) in
            part.name.flatMap { model?.field(named: $0)?.shape.target }.map { ClassModel.of($0) }
        }
    }

    /// Inside a subquery, returns the parts of a path after the collection of the subquery. Returns
    /// all parts of a path that does not begin with that collection.
    private func relative(_ path: NodePath) -> ArraySlice<NodePath.Part> {
        guard let root, root.isRoot(of: path) else { return path.parts[...] }
        return path.parts[root.parts.count...]
    }

    private func operand(_ path: NodePath) -> QueryOperand {
        let parts = relative(path)
        let isAny = path.isCollection && parts.count == path.parts.count
        guard let end = parts.firstIndex(where: \.isReduction),
            case .function(let name) = parts[end]
        else {
            return .path(enginePath(parts), isAny ? .any : nil)
        }
        let owner = enginePath(parts[..<end])
        let property = parts[(end + 1)...].first.map(step)
        guard let operand = QueryOperand.function(name, owner, of: property) else {
            throwRealmException("Unknown function '\(name)' in a query")
        }
        return operand
    }

    private func enginePath(_ parts: ArraySlice<NodePath.Part>) -> QueryPath {
        // An empty path denotes the object itself.
        guard let first = parts.first else { return QueryPath([.name("self")]) }
        return QueryPath(first: step(first), rest: parts.dropFirst().map(step))
    }

    private func step(_ part: NodePath.Part) -> QueryStep {
        switch part {
        case .name(let name): return .property(name)
        case .function(let name): return .name(name == "@allKeys" ? "@keys" : "@values")
        case .any: return .all
        case .key(let key):
            switch values.argument(key) {
            case .int(let index): return .index(Int(index))
            case .string(let key): return .key(key)
            default: throwRealmException("Invalid index '\(key)' in a query")
            }
        }
    }
}

extension NodePath.Part {
    /// Whether the part is an aggregate function such as `@count` or `@min`, which reduces a
    /// collection to one value.
    fileprivate var isReduction: Bool {
        guard case .function(let name) = self else { return false }
        return name != "@allKeys" && name != "@allValues"
    }
}
