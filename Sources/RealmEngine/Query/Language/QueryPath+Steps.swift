extension QueryPath: CustomStringConvertible {
    /// The path in the words of the query language, names as they are.
    public var description: String {
        rest.reduce(first.text) { (text, step) in
            if case .index = step.kind { return text + step.text }
            return text + "." + step.text
        }
    }

    var steps: [QueryStep] { [first] + rest }
    var count: Int { 1 + rest.count }

    /// The path with another step at its end.
    package func appending(_ step: QueryStep) -> QueryPath {
        QueryPath(first: first, rest: rest + [step], range: range)
    }

    /// The names of the steps; nil for an index or key.
    package var names: [String?] {
        steps.map {
            if case .name(let name) = $0.kind { return name }
            return nil
        }
    }

    /// The path up to a step, that one included, and the rest; nil when there is none.
    package func split(after step: Int) -> (QueryPath, QueryPath?) {
        let rest = Array(steps.dropFirst(step + 1))
        return (
            QueryPath(Array(steps.prefix(step + 1)), range),
            rest.isEmpty ? nil : QueryPath(rest, range)
        )
    }
}

extension QueryStep {
    fileprivate var text: String {
        switch kind {
        case .name(let name): name
        case .argument(let number): "$K\(number)"
        case .index(.at(let index)): "[\(index)]"
        case .index(.first): "[FIRST]"
        case .index(.last): "[LAST]"
        case .index(.all): "[*]"
        case .index(.key(let key)): "['\(key)']"
        case .index(.argument(let number)): "[$\(number)]"
        }
    }
}
