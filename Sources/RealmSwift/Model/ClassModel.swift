import Foundation
import RealmEngine
import Synchronization

/// Describes a model class: the name, type, options and offset in an object of each column. There
/// is one `ClassModel` for each class until the process ends. May be used on any thread.
final class ClassModel: @unchecked Sendable {
    struct Field {
        /// Name of the property in the class. `column` is its name in files.
        let name: String
        let column: String
        /// Offset of the wrapper in bytes from the start of the object.
        let offset: Int
        let wrapper: any ColumnWrapper.Type
        let shape: _PropertyShape
        let isPrimaryKey: Bool
        let isIndexed: Bool
        /// Whether deleting an object also deletes the objects that this property links to.
        let cascades: Bool
        let originProperty: String?

        var isHolder: Bool { wrapper.isHolder }
        /// Offset in the object of the two bytes in which the property wrapper stores the index of
        /// its property. Not valid for a holder, a property that is an object such as `List`.
        var bindingOffset: Int { offset + wrapper.propertyOffset }
        var isLinkingObjects: Bool { shape.type == .linkingObjects }
    }

    let type: ObjectBase.Type
    /// Name in files and schemas. `swiftName` is the name in the program.
    let name: String
    let swiftName: String
    let fields: [Field]
    let isEmbedded: Bool

    /// Whether an accessor of the class can be rebound to another object: all its stored properties
    /// are columns, and no property wrapper caches a stored value.
    let isPlain: Bool

    var primaryKey: Field? { fields.first(where: \.isPrimaryKey) }

    /// Messages about declarations with which the class cannot be stored; empty for a valid class.
    private(set) var mistakes: [String] = []

    /// Stored value of `RealmTesting.acceptsLegacyHolders`.
    static let acceptsHolders = Atomic<Bool>(false)

    private static let models = LockedValue<[ObjectIdentifier: ClassModel]>([:])

    /// Returns the model of `type`, creating it at the first use.
    static func of(_ type: ObjectBase.Type) -> ClassModel {
        let id = ObjectIdentifier(type)
        if let known = models.withLock({ $0[id] }) { return known }
        // Creates the model outside the lock: this creates an object, whose initializer may request
        // models of other classes.
        let fresh = ClassModel(type)
        return models.withLock { models in
            let kept = models[id] ?? fresh
            models[id] = kept
            return kept
        }
    }

    private init(_ type: ObjectBase.Type) {
        self.type = type
        name = type.className()
        swiftName = String(describing: type)
        isEmbedded = type is EmbeddedObject.Type
        let prototype = type.init()
        let base = Unmanaged.passUnretained(prototype).toOpaque()
        let mapping = type.propertiesMapping()
        var fields: [Field] = []
        let rules = LegacyRules(type)
        for column in rules.columns(of: type) {
            let facts = column.wrapper.facts(at: base + column.offset)
            let name = column.name
            fields.append(
                Field(
                    name: name, column: mapping[name] ?? name, offset: column.offset,
                    wrapper: column.wrapper, shape: column.wrapper.shape,
                    isPrimaryKey: facts.isPrimaryKey || rules.primaryKey == name,
                    isIndexed: facts.isIndexed || rules.indexed.contains(name),
                    cascades: facts.cascades, originProperty: facts.originProperty))
        }
        withExtendedLifetime(prototype) {}
        self.fields = fields
        let above: ObjectBase.Type = isEmbedded ? EmbeddedObject.self : Object.self
        let own = RuntimeFields.of(type).count - RuntimeFields.of(above).count
        isPlain = own == fields.count && fields.allSatisfy { $0.wrapper.isPlain }
        mistakes = findMistakes(rules)
    }

    /// The field with this name in the class; nil if there is none.
    func field(named name: String) -> Field? { fields.first { $0.name == name } }

    // MARK: Engine specification

    /// The class as a table definition for the engine.
    var spec: ClassSpec {
        let properties = fields.compactMap { field -> PropertyDescription? in
            guard let type = field.shape.type.column else { return nil }
            var property = PropertyDescription(
                field.column, type, isOptional: field.shape.isOptional || type == .mixed,
                collection: field.shape.collection,
                target: field.shape.target.map { ClassModel.of($0).name })
            if type == .link {
                property.isOptional =
                    property.collection == nil || property.collection == .dictionary
            }
            property.isIndexed = field.isIndexed && !field.isPrimaryKey
            return property
        }
        return ClassSpec(
            name: name, kind: isEmbedded ? .embedded : .topLevel, primaryKey: primaryKey?.column,
            properties: properties)
    }

    // MARK: Validation (API specification 2.16)

    private func findMistakes(_ rules: LegacyRules) -> [String] {
        var mistakes = keyMistakes(rules) + fields.compactMap { mistake(in: $0) }
        var seen: Set<String> = []
        for field in fields where !seen.insert(field.name).inserted {
            mistakes.append(
                "Property '\(field.name)' is declared multiple times in the class hierarchy of '\(name)'"
            )
        }
        if fields.isEmpty {
            mistakes.append(
                "No properties are defined for '\(name)'. Did you remember to mark them with '@Persisted' in your model?"
            )
        }
        return mistakes
    }

    private func keyMistakes(_ rules: LegacyRules) -> [String] {
        let keys = fields.filter(\.isPrimaryKey)
        var mistakes: [String] = []
        if keys.count > 1 {
            mistakes.append(
                "Properties '\(keys[0].name)' and '\(keys[1].name)' are both marked as the primary key "
                    + "of '\(name)'")
        }
        if let key = rules.primaryKey, !keys.contains(where: { $0.name == key }) {
            mistakes.append("Primary key property '\(key)' does not exist on object '\(name)'")
        }
        for key in keys where !key.shape.canBePrimaryKey {
            mistakes.append(
                "Property '\(key.name)' cannot be made the primary key of '\(name)' because it is not "
                    + "a 'string', 'int', 'objectId', or 'uuid' property.")
        }
        return mistakes
    }

    private func mistake(in field: Field) -> String? {
        let shape = field.shape
        let target = shape.target.map { "\($0)" } ?? ""
        switch (shape.type, shape.collection) {
        case (.linkingObjects, _) where field.originProperty?.isEmpty != false:
            return
                "LinkingObjects<\(target)> property '\(field.name)' must set the origin property "
                + "name with @Persisted(originProperty: \"name\")."
        case (_, _) where field.cascades && shape.type != .object:
            return "Property '\(name).\(field.name)' cannot cascade: it does not contain links."
        case (.object, nil) where !shape.isOptional && !shape.isCustom:
            return "Object property '\(field.name)' must be marked as optional."
        case (.object, .list?) where shape.isOptional, (.object, .set?) where shape.isOptional:
            let kind = shape.collection == .list ? "List" : "MutableSet"
            return "\(kind)<\(target)> property '\(field.name)' must not be marked as optional."
        case (.object, .dictionary?) where !shape.isOptional && !shape.isCustom:
            return
                "Map<String, \(target)> property '\(field.name)' must be marked as optional."
        default: return nil
        }
    }
}

extension _PropertyShape {
    fileprivate var canBePrimaryKey: Bool {
        collection == nil && [.string, .int, .objectId, .UUID].contains(type)
    }
}
