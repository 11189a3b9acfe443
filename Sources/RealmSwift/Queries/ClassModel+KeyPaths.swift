import RealmEngine

extension ClassModel {
    /// Splits a key path into names. A property name may itself contain dots, so the longest prefix
    /// that is a property of the class is taken as one name.
    func names(along keyPath: String) -> [String] {
        let parts = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var names: [String] = []
        var (rest, model) = (parts[...], ClassModel?.some(self))
        while let first = rest.first {
            var (name, length) = (first, 1)
            for count in stride(from: rest.count, to: 1, by: -1) {
                let longer = rest.prefix(count).joined(separator: ".")
                guard model?.field(named: longer) != nil else { continue }
                (name, length) = (longer, count)
                break
            }
            names.append(name)
            rest = rest.dropFirst(length)
            model = model?.field(named: name)?.shape.target.map { ClassModel.of($0) }
        }
        return names
    }

    func operand(_ keyPath: String) -> QueryOperand { .keyPath(names(along: keyPath)) }
}
