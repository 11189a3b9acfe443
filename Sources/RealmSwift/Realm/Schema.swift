import RealmEngine

/// The type of a property (API specification 2.13).
public enum PropertyType: Int32, Sendable {
    case int = 0
    case bool, string, data, date, float, double, object, linkingObjects, any, objectId, decimal128
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case UUID
}

/// The classes of a realm.
public struct Schema: CustomStringConvertible, Equatable, Sendable {
    public let objectSchema: [ObjectSchema]

    init(_ schema: ModelSchema) { objectSchema = schema.models.map { ObjectSchema($0) } }

    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    public var description: String {
        "Schema {\n" + objectSchema.map { "\t\($0.className)\n" }.joined() + "}"
    }
}

/// A class of a realm.
public struct ObjectSchema: CustomStringConvertible, Equatable, Sendable {
    private let model: ClassModel

    init(_ model: ClassModel) { self.model = model }

    public var className: String { model.name }
    public var objectClass: AnyClass { model.type }
    public var isEmbedded: Bool { model.isEmbedded }
    public var isAsymmetric: Bool { false }
    /// Those that files have columns for.
    public var properties: [Property] {
        model.fields.filter { !$0.isLinkingObjects }.map { Property($0) }
    }
    public var primaryKeyProperty: Property? { model.primaryKey.map { Property($0) } }

    public subscript(propertyName: String) -> Property? {
        model.field(named: propertyName).map { Property($0) }
    }

    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool { a.model === b.model }

    public var description: String {
        "\(className) {\n" + properties.map { "\t\($0.name): \($0.type)\n" }.joined() + "}"
    }
}

/// A property of a class.
public struct Property: CustomStringConvertible, Equatable, Sendable {
    public let name: String
    public let columnName: String
    public let type: PropertyType
    public let isArray: Bool
    public let isSet: Bool
    public let isMap: Bool
    public let isIndexed: Bool
    public let isOptional: Bool
    public let objectClassName: String?

    init(_ field: ClassModel.Field) {
        name = field.name
        columnName = field.column
        type = field.shape.type
        isArray = field.shape.collection == .list
        isSet = field.shape.collection == .set
        isMap = field.shape.collection == .dictionary
        isIndexed = field.isIndexed || field.isPrimaryKey
        isOptional = field.shape.isOptional
        objectClassName = field.shape.target.map { ClassModel.of($0).name }
    }

    public var description: String { "\(name): \(type)\(isOptional ? "?" : "")" }
}
