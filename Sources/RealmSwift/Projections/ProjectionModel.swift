import RealmEngine

/// What is known of a class of projections: its properties, and which of the object they come from. One
/// for each class, for the life of the process. Free to cross threads.
final class ProjectionModel: @unchecked Sendable {
    struct Field {
        let name: String
        /// From the object, by the names of its class.
        let path: String
        fileprivate let offset: Int
        fileprivate let type: any ProjectedField.Type

        /// The property of the object that the path begins with.
        var rootName: Substring { path.prefix { $0 != "." } }
        /// It is a property of the object itself.
        var isDirect: Bool { !path.contains(".") }

        /// What the projection shows now.
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
        // Looks at key paths, which makes objects.
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
            // Wrapped properties are stored under their name behind an underscore.
            let name = String(field.name.dropFirst())
            let path = type.path(at: base + field.offset)
            if path.isEmpty {
                throwRealmException(
                    "@Projected property '\(name)' must be a part of Realm object")
            }
            return Field(name: name, path: path, offset: field.offset, type: type)
        }
    }

    /// The paths of the object behind names of the projection; other names are those of the object.
    func paths(_ names: [String]) -> [String] {
        names.flatMap { name in
            let known = fields.filter { $0.name == name }.map(\.path)
            return known.isEmpty ? [name] : known
        }
    }
}

/// The names of the properties a key path goes along: those of the projection's object.
public func _name<O: ObjectBase, T>(for keyPath: PartialKeyPath<T>) -> String
where T: Projection<O> {
    let recorder = _KeyPathRecording()
    let object = recorder.object(O.self)
    return recorder.names(of: T(projecting: object), keyPath)
}

extension _KeyPathRecording {
    /// The names that a key path meets in `root`, which is made of objects of this recorder.
    func names<Root>(of root: Root, _ keyPath: PartialKeyPath<Root>) -> String {
        forget()
        Self.end(root[keyPath: keyPath])
        return names.joined(separator: ".")
    }
}
