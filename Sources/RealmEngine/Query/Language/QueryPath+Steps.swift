extension QueryPath: CustomStringConvertible {
    /// The path in query language syntax, with names unescaped.
    public var description: String {
        rest.reduce(first.text) { (text, step) in
            if case .index = step.kind { return text + step.text }
            return text + "." + step.text
        }
    }

    var steps: [QueryStep] { [first] + rest }
    var count: Int { 1 + rest.count }

    /// Returns the path with another step appended.
    package func appending(_ step: QueryStep) -> QueryPath {
        QueryPath(first: first, rest: rest + [step], range: range)
    }

    /// Name of each step; nil for a step that is an index or key.
    package var names: [String?] {
        steps.map {
            if case .name(let name) = $0.kind { return name }
            return nil
        }
    }

    /// Splits the path after a step. The second path is nil if no steps remain.
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
