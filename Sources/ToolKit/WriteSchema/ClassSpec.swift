import RealmEngine

/// A class as a schema file describes it, or as the database has it.
struct ClassSpec {
    var name: String
    var kind: TableKind
    /// Name of the primary key's property.
    var primaryKey: String?
    var properties: [PropertyDescription]

    func property(_ name: String) -> PropertyDescription? {
        properties.first { Array($0.name.utf8) == Array(name.utf8) }
    }
}

/// A property with the class it leads to by name.
struct PropertyDescription {
    var name: String
    var type: ColumnType
    var isOptional: Bool
    var collection: CollectionKind?
    /// Of links.
    var target: String?
    /// Of dictionaries.
    var hasIntegerKeys = false
    var isIndexed = false
    var isFullText = false

    init(
        _ name: String, _ type: ColumnType, isOptional: Bool = false,
        collection: CollectionKind? = nil, target: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.collection = collection
        self.target = target
    }

    /// In the words of the schema text: `Person?`, `list<int>`.
    var typeText: String {
        let isObvious =
            type == .mixed || (type == .link && (collection == .list || collection == .set))
        let element = (target ?? type.name) + (isOptional && !isObvious ? "?" : "")
        if hasIntegerKeys { return "dictionary<int, \(element)>" }
        return collection.map { "\($0.rawValue)<\(element)>" } ?? element
    }

    /// Same type, whatever the indexes. Whether links and mixed values may be null is not theirs to
    /// say.
    func hasSameType(as other: PropertyDescription) -> Bool {
        type == other.type && collection == other.collection && target == other.target
            && hasIntegerKeys == other.hasIntegerKeys
    }

    var mayChoosePresence: Bool { type != .link && type != .mixed }
}

extension ClassSpec {
    init(_ table: TableInfo, _ schema: Schema) {
        name = table.className
        kind = table.kind
        primaryKey = table.primaryKey.map { table.columns[$0].name }
        properties = table.columns.map { PropertyDescription($0, schema) }
        if let key = table.primaryKey { properties[key].isIndexed = false }
    }
}

extension PropertyDescription {
    init(_ column: ColumnInfo, _ schema: Schema) {
        name = column.name
        type = column.type
        isOptional = column.isNullable
        collection = column.collection
        target = column.type == .link ? schema.table(column.target)?.className : nil
        hasIntegerKeys = column.hasIntegerKeys
        isIndexed = column.index == .general
        isFullText = column.index == .fullText
    }
}

extension ColumnType {
    /// The type of that name in schema text and JSON; nil for those that cannot be asked for.
    init?(name: String) {
        let all: [ColumnType] = [
            .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .link,
            .objectID, .uuid,
        ]
        guard let found = all.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
