import RealmEngine

/// The classes of a realm: the `objectTypes` of its configuration, or all classes of the program by
/// default. May be used on any thread.
final class ModelSchema: Sendable {
    let models: [ClassModel]
    /// Message of the error that is thrown when a realm of these classes is opened; nil for a valid
    /// schema.
    let refusal: String?
    /// Whether a class has a property that is declared with `cascades`, so that deleting its owner
    /// deletes the linked objects.
    let cascades: Bool
    private let byName: [String: ClassModel]
    private let byType: [ObjectIdentifier: ClassModel]
    /// Cache of the schemas converted for the engine, by schema version.
    private let wanted = LockedValue<[UInt64: WantedSchema]>([:])

    private static let registered = LockedValue<[ObjectIdentifier: ObjectBase.Type]>([:])
    private static let known = LockedValue<[Set<ObjectIdentifier>: ModelSchema]>([:])

    private init(_ types: [ObjectBase.Type]) {
        models = types.map { ClassModel.of($0) }.sorted {
            ($0.name, $0.swiftName) < ($1.name, $1.swiftName)
        }
        var byName: [String: ClassModel] = [:]
        for model in models {
            if let other = byName[model.name], model.type._realmObjectName() == nil {
                throwRealmException(
                    "Object type '\(model.name)' is declared by two classes: "
                        + "\(String(reflecting: other.type)) and \(String(reflecting: model.type)). "
                        + "Leave one out of `objectTypes`, or name it differently by overriding "
                        + "`_realmObjectName()`.")
            }
            byName[model.name] = model
        }
        self.byName = byName
        byType = Dictionary(uniqueKeysWithValues: models.map { (ObjectIdentifier($0.type), $0) })
        refusal = SchemaValidation(models).refusal
        cascades = models.contains { $0.fields.contains(where: \.cascades) }
        check()
    }

    private func check() {
        let mistakes = models.flatMap(\.mistakes)
        if let first = mistakes.first {
            throwRealmException(mistakes.count == 1 ? first : mistakes.joined(separator: "\n"))
        }
        let missing = models.flatMap { model in
            model.fields.filter { field in
                !field.isLinkingObjects
                    && field.shape.target.map { byName[$0.className()] == nil } ?? false
            }.map {
                "- '\(model.name).\($0.name)' links to class '\($0.shape.target!)', which is missing from the list of classes managed by the Realm"
            }
        }
        if !missing.isEmpty {
            throwRealmException(
                "Invalid class subset list:\n" + missing.joined(separator: "\n"))
        }
    }

    /// Returns the schema of these classes; of the default classes if `types` is nil.
    static func of(_ types: [ObjectBase.Type]?) -> ModelSchema {
        let types = types ?? defaultTypes()
        let key = Set(types.map { ObjectIdentifier($0) })
        if let schema = known.withLock({ $0[key] }) { return schema }
        var unique: [ObjectIdentifier: ObjectBase.Type] = [:]
        for type in types { unique[ObjectIdentifier(type)] = type }
        let fresh = ModelSchema(Array(unique.values))
        return known.withLock { known in
            let kept = known[key] ?? fresh
            known[key] = kept
            return kept
        }
    }

    static func register(_ types: [ObjectBase.Type]) {
        registered.withLock { registered in
            for type in types { registered[ObjectIdentifier(type)] = type }
        }
        found.withLock { $0 = nil }
    }

    /// Result of a search for model classes. Valid until the process loads another library, which
    /// changes `images`.
    private struct Found {
        let images: UInt64
        let types: [ObjectBase.Type]
    }

    private static let found = LockedValue<Found?>(nil)

    /// Returns all model classes that belong to realms by default. Searches for classes again after
    /// the process has loaded a library.
    private static func defaultTypes() -> [ObjectBase.Type] {
        let images = ClassDiscovery.imageCount
        if let found = found.withLock({ $0 }), found.images == images { return found.types }
        var types = registered.withLock { $0 }
        for case let type as ObjectBase.Type in ClassDiscovery.subclasses(of: ObjectBase.self) {
            types[ObjectIdentifier(type)] = type
        }
        let fresh = types.values.filter { isModel($0) && $0.shouldIncludeInDefaultSchema() }
        found.withLock { $0 = Found(images: images, types: fresh) }
        return fresh
    }

    static func isModel(_ type: ObjectBase.Type) -> Bool {
        let others: [ObjectBase.Type] = [
            ObjectBase.self, Object.self, EmbeddedObject.self, DynamicObject.self,
        ]
        return !others.contains { $0 == type }
    }

    func model(of type: ObjectBase.Type) -> ClassModel? { byType[ObjectIdentifier(type)] }
    func model(named name: String) -> ClassModel? { byName[name] }

    /// Table definitions. Classes with the same name in files share a table, which has the
    /// properties of all of them.
    private var specs: [ClassSpec] {
        var specs: [ClassSpec] = []
        for model in models {
            guard let last = specs.indices.last, specs[last].name == model.name else {
                specs.append(model.spec)
                continue
            }
            specs[last].add(model.spec)
        }
        return specs
    }

    /// Returns the schema for the engine. Calls with the same version return the same object, so
    /// that the engine need not compare it with an open file again.
    func wanted(_ version: UInt64, _ path: WantedSchema.Path) -> WantedSchema {
        if case .migrate(nil) = path {
            return wanted.withLock { wanted in
                let schema = wanted[version] ?? WantedSchema(specs, version: version)
                wanted[version] = schema
                return schema
            }
        }
        return WantedSchema(specs, version: version, path: path)
    }
}

extension ClassSpec {
    /// Adds the properties of another Swift class that has the same class name in files.
    fileprivate mutating func add(_ other: ClassSpec) {
        if primaryKey == nil { primaryKey = other.primaryKey }
        properties += other.properties.filter { property($0.name) == nil }
    }
}
