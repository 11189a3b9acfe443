import RealmEngine

/// The properties of a projection class, each with the path of the object's property that it shows.
/// There is one `ProjectionModel` for each class until the process ends. May be used on any thread.
final class ProjectionModel: @unchecked Sendable {
    struct Field {
        let name: String
        /// Names of the properties along the key path from the projected object: `owner.name`.
        let path: String
        fileprivate let offset: Int
        fileprivate let type: any ProjectedField.Type

        /// First name in `path`: a property of the object.
        var rootName: Substring { path.prefix { $0 != "." } }
        /// Whether `path` is a property of the object itself, not of a linked object.
        var isDirect: Bool { !path.contains(".") }

        /// Returns the value that the property has in `projection`.
        func value(_ projection: any AnyProjection) -> Any {
            let place = Unmanaged.passUnretained(projection as AnyObject).toOpaque() + offset
            return type.value(at: place, of: projection.root)
        }
    }

    let fields: [Field]

    private static let models = LockedValue<[ObjectIdentifier: ProjectionModel]>([:])

    static func of(_ projection: any AnyProjection) -> ProjectionModel {
        let id = ObjectIdentifier(type(of: projection))
        if let known = models.withLock({ $0[id] }) { return known }
        // Creates the model outside the lock: this follows key paths, which creates objects.
        let fresh = ProjectionModel(projection)
        return models.withLock { models in
            let kept = models[id] ?? fresh
            models[id] = kept
            return kept
        }
    }

    private init(_ projection: any AnyProjection) {
        let base = Unmanaged.passUnretained(projection as AnyObject).toOpaque()
        fields = RuntimeFields.of(type(of: projection)).compactMap { field in
            guard let type = field.type as? any ProjectedField.Type else { return nil }
            // The stored property of a wrapped property has the same name with an underscore before
            // it.
            let name = String(field.name.dropFirst())
            let path = type.path(at: base + field.offset)
            if path.isEmpty {
                throwRealmException(
                    "@Projected property '\(name)' must be a part of Realm object")
            }
            return Field(name: name, path: path, offset: field.offset, type: type)
        }
    }

    /// Converts names of the projection to paths from the object. Any other name is already a name
    /// of the object.
    func paths(_ names: [String]) -> [String] {
        names.flatMap { name in
            let known = fields.filter { $0.name == name }.map(\.path)
            return known.isEmpty ? [name] : known
        }
    }
}

/// Returns the path that a key path of a projection follows, in names of the object's class:
/// `owner.name`.
public func _name<O: ObjectBase, T>(for keyPath: PartialKeyPath<T>) -> String
where T: Projection<O> {
    let recorder = _KeyPathRecording()
    let object = recorder.object(O.self)
    return recorder.names(of: T(projecting: object), keyPath)
}

extension _KeyPathRecording {
    /// Returns the names of the properties that a key path reads, with dots between them. `root`
    /// contains objects that record in this recorder which of their properties are read.
    func names<Root>(of root: Root, _ keyPath: PartialKeyPath<Root>) -> String {
        forget()
        Self.end(root[keyPath: keyPath])
        return names.joined(separator: ".")
    }
}
