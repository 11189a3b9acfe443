import RealmEngine

/// What turns the classes of one schema into those of another, by their names, in the order in which
/// it can be done once the objects that go are gone: properties and classes that go, then new
/// classes, new properties, and what properties become.
///
/// The order of classes and properties does not count.
package struct SchemaDifference {
    package struct Step {
        /// Nil for the schema version.
        package let className: String?
        package let change: SchemaChange
        /// Why something goes that comes back in another form: what is different.
        package var reason: StaticString?
    }

    /// What of the schemas is looked at.
    package struct Scope {
        /// Nil for all classes.
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
    /// Classes of both schemas that have nothing but the name in common: another primary key, or
    /// objects of another kind.
    package private(set) var replaced: Set<String> = []
    private let old: [Name: ClassSpec]
    private let new: [Name: ClassSpec]
    private let scope: Scope

    /// Names are their bytes: those that only look alike to Unicode are different ones.
    private typealias Name = [UInt8]

    package init(from old: Schema, to new: Schema, _ scope: Scope = Scope()) {
        self.init(
            from: Self.specs(old), to: Self.specs(new), versions: (old.version, new.version), scope)
    }

    /// All that a schema has, for who has nothing.
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

    /// What makes objects of two classes comparable.
    private static func identity(_ spec: ClassSpec) -> [String] {
        let key = spec.primaryKey.flatMap { spec.property($0) }
        return ["\(spec.kind)", key?.name ?? "", key?.type.name ?? ""]
    }

    private static func reason(_ a: ClassSpec, _ b: ClassSpec) -> StaticString {
        a.kind == b.kind ? "primary-key" : "kind"
    }

    /// The classes the request is about, in the order of their names.
    private func wanted(_ classes: [Name: ClassSpec]) -> [ClassSpec] {
        classes.values.filter { scope.className == nil || $0.name == scope.className }
            .ordered { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The class of that name goes, or becomes another one.
    private func isGone(_ name: String) -> Bool {
        let key = Array(name.utf8)
        guard scope.className == nil || scope.className == name else { return false }
        return old[key] != nil && (new[key] == nil || replaced.contains(name))
    }

    /// The class of both schemas, with what it becomes.
    private func kept(_ spec: ClassSpec) -> ClassSpec? {
        isGone(spec.name) ? nil : new[Array(spec.name.utf8)]
    }

    private func shown(_ spec: ClassSpec) -> [PropertyDescription] {
        spec.properties.filter { scope.shows($0.name) }
    }

    /// A property that begins without values.
    package func isNew(_ property: String, of name: String) -> Bool {
        guard let spec = new[Array(name.utf8)], let was = old[Array(name.utf8)],
            !isGone(name), spec.property(property) != nil,
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
        for spec in wanted(old) where isGone(spec.name) {
            let reason = new[Array(spec.name.utf8)].map { Self.reason(spec, $0) }
            add(spec, .dropClass(spec.name), reason ?? "removed")
        }
    }

    /// Why the property has to go, perhaps to be made again; nil when it stays.
    private func reasonToRemove(
        _ property: PropertyDescription, of spec: ClassSpec
    ) -> StaticString? {
        let leadsAway = property.target.map { isGone($0) && $0 != spec.name } ?? false
        guard let other = kept(spec) else {
            // The class goes as a whole, but what it leads to cannot go before.
            return leadsAway ? "class" : nil
        }
        guard let partner = other.property(property.name) else { return "removed" }
        if property.hasSameType(as: partner) { return leadsAway ? "target" : nil }
        return property.target != partner.target && property.type == partner.type
            ? "target" : "type"
    }

    private mutating func addClasses() {
        for spec in wanted(new) where old[Array(spec.name.utf8)].map({ isGone($0.name) }) ?? true {
            add(spec, .addClass(spec))
        }
    }

    private mutating func addProperties() {
        for spec in wanted(new) {
            let was = old[Array(spec.name.utf8)].flatMap { isGone($0.name) ? nil : $0 }
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
