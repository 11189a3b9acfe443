import RealmEngine

extension ManagedClass {
    /// Maps property names to column names, for all properties with different names in the program
    /// and in the file. Includes the classes that this class links to.
    var aliases: KeyPathAliases {
        if let known = names.withLock({ $0 }) { return known }
        var aliases = KeyPathAliases()
        var seen: Set<ObjectIdentifier> = []
        var rest = [self]
        while let next = rest.popLast() {
            guard seen.insert(ObjectIdentifier(next.model)).inserted else { continue }
            next.addNames(to: &aliases)
            rest += next.model.fields.compactMap { field in
                field.shape.target.flatMap { realm.managedClass($0) }
            }
        }
        let found = aliases
        names.withLock { $0 = found }
        return found
    }

    private func addNames(to aliases: inout KeyPathAliases) {
        for field in model.fields {
            if let property = field.originProperty, let origin = field.shape.target {
                let other = ClassModel.of(origin)
                let column = other.field(named: property)?.column ?? property
                aliases.add(field.name, for: "@links.\(other.name).\(column)", in: objects.key)
            } else if field.name != field.column {
                aliases.add(field.name, for: field.column, in: objects.key)
            }
        }
    }
}
