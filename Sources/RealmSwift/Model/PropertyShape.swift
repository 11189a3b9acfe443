import RealmEngine

/// Description of a column, derived from the type of its property.
public struct _PropertyShape {
    var type: PropertyType
    var isOptional = false
    var collection: CollectionKind?
    /// Whether the property has a custom type (`CustomPersistable`) that is stored as `type`. Null
    /// then converts to a value of the custom type.
    var isCustom = false
    /// Class of a linked object, or of the objects in a collection; nil for other types.
    var target: ObjectBase.Type?

    init(_ type: PropertyType, target: ObjectBase.Type? = nil) {
        self.type = type
        self.target = target
    }
}

extension PropertyType {
    /// The engine's type; nil for linking objects, which have no column.
    var column: ColumnType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .binary
        case .date: .timestamp
        case .float: .float
        case .double: .double
        case .object: .link
        case .any: .mixed
        case .objectId: .objectID
        case .decimal128: .decimal
        case .UUID: .uuid
        case .linkingObjects: nil
        }
    }

    init?(_ column: ColumnType) {
        let all = (Self.int.rawValue...Self.UUID.rawValue).lazy.compactMap(Self.init(rawValue:))
        guard let type = all.first(where: { $0.column == column }) else { return nil }
        self = type
    }
}
