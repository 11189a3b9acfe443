import RealmEngine

/// The steps that convert the classes of one schema to the classes of another. Classes are matched
/// by name.
///
/// The steps can be executed in their order after removed objects were deleted. Properties and
/// classes are removed first. Then classes are created, and properties are added or changed.
///
/// The order of classes and properties in a schema is irrelevant.
package struct SchemaDifference {
    package struct Step {
        /// Class that the step changes; nil for a change of the schema version.
        package let className: String?
        package let change: SchemaChange
        /// Reason why the step removes a class or property; nil for other steps. For example, a
        /// property whose type changes is removed and then created again.
        package var reason: StaticString?
    }

    /// Part of the schemas to compare.
    package struct Scope {
        /// Class to compare; nil for all classes.
        let className: String?
        let shows: (String) -> Bool

        package init(
            className: String? = nil, shows: @escaping (String) -> Bool = { _ in true }
        ) {
            self.className = className
            self.shows = shows
        }
    }

    package private(set) var steps: [Step] = []
    /// Classes in both schemas that are removed and created again, because their primary key or
    /// kind differs.
    package private(set) var replaced: Set<String> = []
    private let old: [Name: ClassSpec]
    private let new: [Name: ClassSpec]
    private let scope: Scope

    /// A name as UTF-8 bytes. `String` would treat canonically equivalent names as equal.
    private typealias Name = [UInt8]

    package init(from old: Schema, to new: Schema, _ scope: Scope = Scope()) {
        self.init(
            from: Self.specs(old), to: Self.specs(new), versions: (old.version, new.version), scope)
    }

    /// Creates the steps that create the whole schema in an empty database.
    package init(_ schema: Schema, _ scope: Scope = Scope()) {
        self.init(from: [], to: Self.specs(schema), versions: (nil, schema.version), scope)
    }

    package init(
        from old: [ClassSpec], to new: [ClassSpec], versions: (old: UInt64?, new: UInt64?),
        _ scope: Scope = Scope()
    ) {
        self.scope = scope
        self.old = Self.classes(old)
        self.new = Self.classes(new)
        for (name, spec) in self.old {
            guard let other = self.new[name], Self.identity(spec) != Self.identity(other) else {
                continue
            }
            replaced.insert(spec.name)
        }
        addRemovals()
        addClasses()
        addProperties()
        addVersion(versions.old, versions.new)
    }

    private static func specs(_ schema: Schema) -> [ClassSpec] {
        schema.classes.map { ClassSpec($0, schema) }
    }

    private static func classes(_ specs: [ClassSpec]) -> [Name: ClassSpec] {
        Dictionary(
            specs.map { (Array($0.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Properties of a class that must be the same in both schemas; otherwise its objects cannot be
    /// compared.
    private static func identity(_ spec: ClassSpec) -> [String] {
        let key = spec.primaryKey.flatMap { spec.property($0) }
        return ["\(spec.kind)", key?.name ?? "", key?.type.name ?? ""]
    }

    private static func reason(_ a: ClassSpec, _ b: ClassSpec) -> StaticString {
        a.kind == b.kind ? "primary-key" : "kind"
    }

    /// Returns the classes to compare: all, or the one that `scope` names. They are in the order of
    /// their names.
    private func wanted(_ classes: [Name: ClassSpec]) -> [ClassSpec] {
        classes.values.filter { scope.className == nil || $0.name == scope.className }
            .ordered { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Whether the class is removed, or removed and created again.
    private func isRemoved(_ name: String) -> Bool {
        let key = Array(name.utf8)
        guard scope.className == nil || scope.className == name else { return false }
        return old[key] != nil && (new[key] == nil || replaced.contains(name))
    }

    /// Returns the class in the new schema; nil if the class is removed.
    private func kept(_ spec: ClassSpec) -> ClassSpec? {
        isRemoved(spec.name) ? nil : new[Array(spec.name.utf8)]
    }

    private func shown(_ spec: ClassSpec) -> [PropertyDescription] {
        spec.properties.filter { scope.shows($0.name) }
    }

    /// Whether the property is added and so has no values yet.
    package func isNew(_ property: String, of name: String) -> Bool {
        guard let spec = new[Array(name.utf8)], let was = old[Array(name.utf8)],
            !isRemoved(name), spec.property(property) != nil,
            let before = was.property(property)
        else { return true }
        return reasonToRemove(before, of: was) != nil
    }

    // MARK: Steps

    private mutating func addRemovals() {
        for spec in wanted(old) {
            for property in shown(spec) {
                if let reason = reasonToRemove(property, of: spec) {
                    add(spec, .dropProperty(spec.name, property.name), reason)
                }
            }
        }
        for spec in wanted(old) where isRemoved(spec.name) {
            let reason = new[Array(spec.name.utf8)].map { Self.reason(spec, $0) }
            add(spec, .dropClass(spec.name), reason ?? "removed")
        }
    }

    /// Returns the reason why the property is removed, and possibly created again; nil if it
    /// remains.
    private func reasonToRemove(
        _ property: PropertyDescription, of spec: ClassSpec
    ) -> StaticString? {
        let leadsAway = property.target.map { isRemoved($0) && $0 != spec.name } ?? false
        guard let other = kept(spec) else {
            // The class itself is removed later. Links to other removed classes must be removed
            // before those classes.
            return leadsAway ? "class" : nil
        }
        guard let partner = other.property(property.name) else { return "removed" }
        if property.hasSameType(as: partner) { return leadsAway ? "target" : nil }
        return property.target != partner.target && property.type == partner.type
            ? "target" : "type"
    }

    private mutating func addClasses() {
        for spec in wanted(new) where old[Array(spec.name.utf8)].map({ isRemoved($0.name) }) ?? true
        {
            add(spec, .addClass(spec))
        }
    }

    private mutating func addProperties() {
        for spec in wanted(new) {
            let was = old[Array(spec.name.utf8)].flatMap { isRemoved($0.name) ? nil : $0 }
            for property in shown(spec) {
                guard let was else {
                    if property.name != spec.primaryKey {
                        add(spec, .addProperty(spec.name, property))
                    }
                    continue
                }
                guard let before = was.property(property.name),
                    reasonToRemove(before, of: was) == nil
                else {
                    add(spec, .addProperty(spec.name, property))
                    continue
                }
                addAdjustments(spec, property, before)
            }
        }
    }

    private mutating func addAdjustments(
        _ spec: ClassSpec, _ property: PropertyDescription, _ before: PropertyDescription
    ) {
        if property.mayChoosePresence, property.isOptional != before.isOptional {
            add(spec, .setOptional(spec.name, property.name, property.isOptional))
        }
        if property.index != before.index {
            add(spec, .setIndex(spec.name, property.name, property.index))
        }
    }

    private mutating func addVersion(_ old: UInt64?, _ new: UInt64?) {
        guard scope.className == nil, let new, new != old else { return }
        steps.append(Step(className: nil, change: .setVersion(new)))
    }

    private mutating func add(
        _ spec: ClassSpec, _ change: SchemaChange, _ reason: StaticString? = nil
    ) {
        steps.append(Step(className: spec.name, change: change, reason: reason))
    }
}
