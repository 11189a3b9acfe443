import RealmEngine
import ToolKit

/// What turns the classes of one schema into those of another, by their names, in the order in which
/// it can be done once the objects that go are gone: properties and classes that go, then new
/// classes, new properties, and what properties become.
///
/// The order of classes and properties does not count.
struct SchemaDifference {
    struct Step {
        /// Nil for the schema version.
        let className: String?
        let change: SchemaChange
        /// Why something goes that comes back in another form: what is different.
        var reason: StaticString?
    }

    private(set) var steps: [Step] = []
    /// Classes of both schemas that have nothing but the name in common: another primary key, or
    /// objects of another kind.
    private(set) var replaced: Set<String> = []
    private let old: [Name: ClassSpec]
    private let new: [Name: ClassSpec]
    private let request: ChangeRequest

    /// Names are their bytes: those that only look alike to Unicode are different ones.
    private typealias Name = [UInt8]

    init(from old: Schema, to new: Schema, _ request: ChangeRequest) {
        self.request = request
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
        addVersion(old.version, new.version)
    }

    /// All that a schema has, for who has nothing.
    init(_ schema: Schema, _ request: ChangeRequest) {
        self.request = request
        old = [:]
        new = Self.classes(schema)
        addClasses()
        addProperties()
        addVersion(nil, schema.version)
    }

    private static func classes(_ schema: Schema) -> [Name: ClassSpec] {
        Dictionary(
            schema.classes.map { (Array($0.className.utf8), ClassSpec($0, schema)) },
            uniquingKeysWith: { first, _ in first })
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
        classes.values.filter { request.className == nil || $0.name == request.className }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The class of that name goes, or becomes another one.
    private func isGone(_ name: String) -> Bool {
        let key = Array(name.utf8)
        guard request.className == nil || request.className == name else { return false }
        return old[key] != nil && (new[key] == nil || replaced.contains(name))
    }

    /// The class of both schemas, with what it becomes.
    private func kept(_ spec: ClassSpec) -> ClassSpec? {
        isGone(spec.name) ? nil : new[Array(spec.name.utf8)]
    }

    private func shown(_ spec: ClassSpec) -> [PropertyDescription] {
        spec.properties.filter { request.shows(propertyNamed: $0.name) }
    }

    /// A property that begins without values.
    func isNew(_ property: String, of name: String) -> Bool {
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
        guard request.className == nil, let new, new != old else { return }
        steps.append(Step(className: nil, change: .setVersion(new)))
    }

    private mutating func add(
        _ spec: ClassSpec, _ change: SchemaChange, _ reason: StaticString? = nil
    ) {
        steps.append(Step(className: spec.name, change: change, reason: reason))
    }
}
