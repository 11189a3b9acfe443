import Foundation
import RealmEngine
import RealmRecords

/// Type of a property, or of the elements of a collection (API specification 2.13).
public enum PropertyType: Int32, Sendable {
    /// `Int`, `Int8`, `Int16`, `Int32` or `Int64`.
    case int = 0
    /// The Swift type of the same name. `any` is `AnyRealmValue`, and `object` is a link.
    case bool, string, data, date, float, double, object, linkingObjects, any, objectId, decimal128
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `Foundation.UUID`.
    case UUID
}

/// The classes of a realm. May be used on any thread.
public struct Schema: CustomStringConvertible, Equatable, Sendable {
    /// The classes.
    public let objectSchema: [ObjectSchema]

    init(_ schema: ModelSchema) { objectSchema = schema.models.map { ObjectSchema($0) } }

    /// Makes the description of a schema that was read from a file.
    init(_ schema: RealmEngine.Schema) {
        objectSchema = schema.classes.map { ObjectSchema($0, schema) }
    }

    /// Reads the classes of a file. The program need not declare them. May be called on any thread;
    /// the file is not changed. An addition to the SDK.
    ///
    /// ```swift
    /// print(try Schema(fileURL: url))
    /// ```
    ///
    /// - Parameter encryptionKey: 64 bytes; nil for a file that is not encrypted.
    /// - Throws: `Realm.Error` if the file cannot be read.
    public init(fileURL: URL, encryptionKey: Data? = nil) throws {
        self.init(try Self.stored(fileURL, encryptionKey))
    }

    /// Returns Swift classes for the classes of a file, as source text. May be called on any
    /// thread; the file is not changed. An addition to the SDK.
    ///
    /// The text is what `realm-query --schema -f swift` prints. Names that Swift does not permit
    /// are replaced, and mapped to the stored names.
    ///
    /// ```swift
    /// try Schema.swiftSource(fileURL: url).write(to: source, atomically: true, encoding: .utf8)
    /// ```
    ///
    /// - Parameter encryptionKey: 64 bytes; nil for a file that is not encrypted.
    /// - Throws: `Realm.Error` if the file cannot be read.
    public static func swiftSource(fileURL: URL, encryptionKey: Data? = nil) throws -> String {
        SwiftClasses.text(try stored(fileURL, encryptionKey))
    }

    private static func stored(
        _ file: URL, _ encryptionKey: Data?
    ) throws -> RealmEngine.Schema {
        do throws(RealmError) {
            let key = try encryptionKey.map { data throws(RealmError) in
                try EncryptionKey.of(data)
            }
            return try Database(immutable: file.path, key: key).snapshot().schema
        } catch { throw Realm.Error(error) }
    }

    /// The class with this name; nil if there is none.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    /// The classes and their properties as text.
    public var description: String {
        "Schema {\n" + objectSchema.map { "\t\($0)".indented + "\n" }.joined() + "}"
    }
}

/// A class of a realm. May be used on any thread.
public struct ObjectSchema: CustomStringConvertible, Equatable, Sendable {
    /// Name of the class in files.
    public let className: String
    /// The Swift class; `DynamicObject` if the schema was read from a file.
    public let objectClass: AnyClass
    /// Whether the class derives from `EmbeddedObject`.
    public let isEmbedded: Bool
    /// Properties that are stored in files; linking objects are not included.
    public let properties: [Property]
    /// The primary key; nil if the class has none.
    public let primaryKeyProperty: Property?
    /// Linking objects.
    private let computed: [Property]

    init(_ model: ClassModel) {
        className = model.name
        objectClass = model.type
        isEmbedded = model.isEmbedded
        properties = model.fields.filter { !$0.isLinkingObjects }.map { Property($0) }
        primaryKeyProperty = model.primaryKey.map { Property($0) }
        computed = model.fields.filter(\.isLinkingObjects).map { Property($0) }
    }

    /// Creates a class from its description in a file.
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

    /// Always false: asymmetric objects belonged to Device Sync.
    public var isAsymmetric: Bool { false }

    /// The property with this name, linking objects included; nil if there is none.
    public subscript(propertyName: String) -> Property? {
        (properties + computed).first { $0.name == propertyName }
    }

    /// Whether both have the same name, kind, properties and primary key.
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.className == b.className && a.properties == b.properties
            && a.computed == b.computed && a.isEmbedded == b.isEmbedded
            && a.primaryKeyProperty == b.primaryKeyProperty
    }

    /// The class and its properties as text.
    public var description: String {
        "\(className) {\n" + properties.map { "\t\($0)".indented + "\n" }.joined() + "}"
    }
}

/// A property of a class. May be used on any thread.
public struct Property: CustomStringConvertible, Equatable, Sendable {
    /// Name in the program.
    public let name: String
    /// Name of the column in files.
    public let columnName: String
    /// Type of the value, or of the elements of a collection.
    public let type: PropertyType
    /// Whether the property is a `List`.
    public let isArray: Bool
    /// Whether the property is a `MutableSet`.
    public let isSet: Bool
    /// Whether the property is a `Map`.
    public let isMap: Bool
    /// Whether the property has a search index or is the primary key.
    public let isIndexed: Bool
    /// Whether the value, or an element of the collection, may be nil.
    public let isOptional: Bool
    /// Class of the linked objects, or of the linking objects; nil for other types.
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

    /// Creates a property from its description in a file.
    init(_ column: ColumnInfo, _ schema: RealmEngine.Schema, isPrimaryKey: Bool) {
        name = column.name
        columnName = column.name
        type = PropertyType(column.type) ?? .any
        isArray = column.collection == .list
        isSet = column.collection == .set
        isMap = column.collection == .dictionary
        isIndexed = column.isIndexed
        // A column of type `any` can contain null without being optional.
        isOptional = column.isNullable && column.type != .mixed
        objectClassName = column.type == .link ? schema.table(column.target)?.className : nil
        originProperty = nil
        self.isPrimaryKey = isPrimaryKey
    }

    /// The property as text.
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
    /// Name of the type in the text of a schema, such as `object id`.
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
    /// The text with every line after the first indented by one tab.
    fileprivate var indented: String { replacingOccurrences(of: "\n", with: "\n\t") }
}
