import Foundation
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

    /// Of a file.
    init(_ schema: RealmEngine.Schema) {
        objectSchema = schema.classes.map { ObjectSchema($0, schema) }
    }

    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    public var description: String {
        "Schema {\n" + objectSchema.map { "\t\($0)".indented + "\n" }.joined() + "}"
    }
}

/// A class of a realm.
public struct ObjectSchema: CustomStringConvertible, Equatable, Sendable {
    public let className: String
    public let objectClass: AnyClass
    public let isEmbedded: Bool
    /// Those that files have columns for.
    public let properties: [Property]
    public let primaryKeyProperty: Property?
    /// Those of linking objects.
    private let computed: [Property]

    init(_ model: ClassModel) {
        className = model.name
        objectClass = model.type
        isEmbedded = model.isEmbedded
        properties = model.fields.filter { !$0.isLinkingObjects }.map { Property($0) }
        primaryKeyProperty = model.primaryKey.map { Property($0) }
        computed = model.fields.filter(\.isLinkingObjects).map { Property($0) }
    }

    /// Of a file.
    init(_ info: TableInfo, _ schema: RealmEngine.Schema) {
        let properties = info.columns.enumerated().map {
            Property($1, schema, isPrimaryKey: $0 == info.primaryKey)
        }
        className = info.className
        objectClass = DynamicObject.self
        isEmbedded = info.kind == .embedded
        self.properties = properties
        primaryKeyProperty = info.primaryKey.map { properties[$0] }
        computed = []
    }

    public var isAsymmetric: Bool { false }

    public subscript(propertyName: String) -> Property? {
        (properties + computed).first { $0.name == propertyName }
    }

    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.className == b.className && a.properties == b.properties
            && a.computed == b.computed && a.isEmbedded == b.isEmbedded
            && a.primaryKeyProperty == b.primaryKeyProperty
    }

    public var description: String {
        "\(className) {\n" + properties.map { "\t\($0)".indented + "\n" }.joined() + "}"
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
    private let originProperty: String?
    private let isPrimaryKey: Bool

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
        originProperty = field.originProperty
        isPrimaryKey = field.isPrimaryKey
    }

    /// Of a file.
    init(_ column: ColumnInfo, _ schema: RealmEngine.Schema, isPrimaryKey: Bool) {
        name = column.name
        columnName = column.name
        type = PropertyType(column.type) ?? .any
        isArray = column.collection == .list
        isSet = column.collection == .set
        isMap = column.collection == .dictionary
        isIndexed = column.isIndexed
        // What may be anything may be nothing, too, without being optional.
        isOptional = column.isNullable && column.type != .mixed
        objectClassName = column.type == .link ? schema.table(column.target)?.className : nil
        originProperty = nil
        self.isPrimaryKey = isPrimaryKey
    }

    public var description: String {
        func line(_ name: String, _ value: String) -> String { "\t\(name) = \(value);\n" }
        func line(_ name: String, _ value: Bool) -> String { line(name, value ? "YES" : "NO") }
        var text = "\(name) {\n" + line("type", type.schemaName)
        if let objectClassName {
            text += line("objectClassName", objectClassName)
            text += line("linkOriginPropertyName", originProperty ?? "(null)")
        }
        return text + line("columnName", columnName) + line("indexed", isIndexed)
            + line("isPrimary", isPrimaryKey) + line("array", isArray) + line("set", isSet)
            + line("dictionary", isMap) + line("optional", isOptional) + "}"
    }
}

extension PropertyType {
    /// The type in descriptions of a schema.
    var schemaName: String {
        switch self {
        case .objectId: "object id"
        case .UUID: "uuid"
        case .any: "mixed"
        case .linkingObjects: "linking objects"
        default: "\(self)"
        }
    }
}

extension String {
    /// With lines behind the first one further in.
    fileprivate var indented: String { replacingOccurrences(of: "\n", with: "\n\t") }
}
