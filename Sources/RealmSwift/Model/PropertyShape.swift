import RealmEngine

/// What a column of a type holds: known from the type alone.
public struct _PropertyShape {
    var type: PropertyType
    var isOptional = false
    var collection: CollectionKind?
    /// A type of the program's own stands for the stored one, and for null, too.
    var isCustom = false
    /// Of links, and of collections of links.
    var target: ObjectBase.Type?

    init(_ type: PropertyType, target: ObjectBase.Type? = nil) {
        self.type = type
        self.target = target
    }
}

extension PropertyType {
    /// How the engine calls it; nil for what no column holds.
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
        switch column {
        case .int: self = .int
        case .bool: self = .bool
        case .string: self = .string
        case .binary: self = .data
        case .timestamp: self = .date
        case .float: self = .float
        case .double: self = .double
        case .link: self = .object
        case .mixed: self = .any
        case .objectID: self = .objectId
        case .decimal: self = .decimal128
        case .uuid: self = .UUID
        default: return nil
        }
    }
}
