/// The differences between the classes of a database and the classes of a program (API
/// specification 2.14). A class that exists only in the database is ignored. A property that exists
/// only in the database is a difference, unless its whole class is ignored.
package struct ModelDifference: Sendable {
    /// One difference. Contains the property as the program declares it; for a removal, as the
    /// database has it.
    package enum Change: Sendable {
        case addClass(ClassSpec)
        case changeKind(String, from: TableKind, to: TableKind)
        case addProperty(String, PropertyDescription)
        case removeProperty(String, PropertyDescription)
        case changeType(String, from: PropertyDescription, to: PropertyDescription)
        case changePresence(String, PropertyDescription)
        case changeIndex(String, PropertyDescription)
        case changePrimaryKey(String, from: String?, to: String?)
    }

    /// The differences between database and program, ordered by class name.
    private(set) var changes: [Change] = []

    init(_ present: [ClassSpec], wanted: [ClassSpec]) {
        let known = Dictionary(
            present.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for spec in wanted.ordered(by: { $0.name < $1.name }) {
            if let old = known[spec.name] {
                compare(old, spec)
            } else {
                changes.append(.addClass(spec))
            }
        }
    }

    init(_ schema: Schema, wanted: [ClassSpec]) {
        self.init(schema.classes.map { ClassSpec($0, schema) }, wanted: wanted)
    }

    private mutating func compare(_ old: ClassSpec, _ new: ClassSpec) {
        let name = new.name
        if old.kind != new.kind {
            changes.append(.changeKind(name, from: old.kind, to: new.kind))
        }
        for property in old.properties {
            if let wanted = new.property(property.name) {
                compare(name, property, wanted, isKey: property.name == new.primaryKey)
            } else {
                changes.append(.removeProperty(name, property))
            }
        }
        for property in new.properties where old.property(property.name) == nil {
            changes.append(.addProperty(name, property))
        }
        if old.primaryKey != new.primaryKey {
            changes.append(.changePrimaryKey(name, from: old.primaryKey, to: new.primaryKey))
        }
    }

    private mutating func compare(
        _ name: String, _ old: PropertyDescription, _ new: PropertyDescription, isKey: Bool
    ) {
        guard old.hasSameType(as: new) else {
            return changes.append(.changeType(name, from: old, to: new))
        }
        if old.hasOtherPresence(than: new) { changes.append(.changePresence(name, new)) }
        // Do not compare the index of a primary key, which is always indexed.
        if !isKey, old.index != new.index { changes.append(.changeIndex(name, new)) }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// Whether any difference requires a migration, and thus a higher schema version.
    var needsMigration: Bool { changes.contains(where: \.needsMigration) }
}

extension ModelDifference.Change {
    /// Whether the difference requires a migration. All differences do, except new classes and
    /// indexes.
    var needsMigration: Bool {
        switch self {
        case .addClass, .changeIndex: false
        default: true
        }
    }

    /// Whether the difference prevents the program from reading a database that it may not change.
    var hindersReading: Bool {
        switch self {
        case .addClass, .changeIndex, .changeKind, .removeProperty: false
        default: true
        }
    }

    /// Description in the wording of the SDKs.
    var message: String {
        switch self {
        case .addClass(let spec): "Class '\(spec.name)' has been added."
        case .changeKind(let name, let old, let new):
            "Class '\(name)' has been changed from \(old.title) to \(new.title)."
        case .addProperty(let name, let property):
            "Property '\(name).\(property.name)' has been added."
        case .removeProperty(let name, let property):
            "Property '\(name).\(property.name)' has been removed."
        case .changeType(let name, let old, let new):
            "Property '\(name).\(new.name)' has been changed from '\(old.title)' to '\(new.title)'."
        case .changePresence(let name, let property):
            "Property '\(name).\(property.name)' has been made "
                + (property.isOptional ? "optional." : "required.")
        case .changeIndex(let name, let property):
            "Property '\(name).\(property.name)' has been made "
                + (property.index == .none ? "unindexed." : "indexed.")
        case .changePrimaryKey(let name, let old?, let new?):
            "Primary Key for class '\(name)' has changed from '\(old)' to '\(new)'."
        case .changePrimaryKey(let name, nil, _):
            "Primary Key for class '\(name)' has been added."
        case .changePrimaryKey(let name, _, nil):
            "Primary Key for class '\(name)' has been removed."
        }
    }
}

extension PropertyDescription {
    /// The type in the wording of the SDKs' messages.
    var title: String {
        let element =
            switch type {
            case .objectID: "object id"
            case .decimal: "decimal"
            case .link: target ?? "object"
            default: type.name
            }
        switch collection {
        case .list: return "array<\(element)>"
        case .set: return "set<\(element)>"
        case .dictionary: return "dictionary<string, \(element)>"
        case nil: return type == .link ? "<\(element)>" : element
        }
    }
}
