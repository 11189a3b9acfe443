import RealmEngine

/// An aggregate of a property in the notation of the tools: `sum(P)`, `count(distinct P)`.
package struct AggregateName {
    package let function: AggregateFunction
    package let property: String

    /// Parses an aggregate; nil for other text. Does not check whether the class has the property.
    package init?(_ text: String) {
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "(") else { return nil }
        let name = text[..<open]
        let inner = text[text.index(after: open)...].dropLast()
        let distinct = "distinct "
        for function in AggregateFunction.all where function.name == name {
            switch function.argument {
            case .none: continue
            case .property: property = String(inner)
            case .distinctProperty:
                guard inner.hasPrefix(distinct) else { continue }
                property = String(inner.dropFirst(distinct.count).drop { $0 == " " })
            }
            self.function = function
            return
        }
        return nil
    }
}

extension AggregateFunction {
    /// The notations of all aggregates, as help and messages list them.
    package static var forms: String { all.map(\.form).joined(separator: ", ") }

    /// The names of all aggregate functions, each once.
    package static var names: String {
        var names: [String] = []
        for function in all where !names.contains(function.name) { names.append(function.name) }
        return names.joined(separator: ", ")
    }
}
