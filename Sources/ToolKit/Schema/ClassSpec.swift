import RealmEngine

/// A class as a schema file describes it, or as the database has it.
package struct ClassSpec {
    package var name: String
    package var kind: TableKind
    /// Name of the primary key's property.
    package var primaryKey: String?
    package var properties: [PropertyDescription]

    package init(
        name: String, kind: TableKind, primaryKey: String? = nil,
        properties: [PropertyDescription]
    ) {
        self.name = name
        self.kind = kind
        self.primaryKey = primaryKey
        self.properties = properties
    }

    package func property(_ name: String) -> PropertyDescription? {
        properties.first { Array($0.name.utf8) == Array(name.utf8) }
    }
}

/// A property with the class it leads to by name.
package struct PropertyDescription {
    package var name: String
    package var type: ColumnType
    package var isOptional: Bool
    package var collection: CollectionKind?
    /// Of links.
    package var target: String?
    /// Of dictionaries.
    package var hasIntegerKeys = false
    package var isIndexed = false
    package var isFullText = false

    package var index: IndexKind { isFullText ? .fullText : isIndexed ? .general : .none }

    package init(
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
    package var typeText: String {
        let isObvious =
            type == .mixed || (type == .link && (collection == .list || collection == .set))
        let element = (target ?? type.name) + (isOptional && !isObvious ? "?" : "")
        if hasIntegerKeys { return "dictionary<int, \(element)>" }
        return collection.map { "\($0.rawValue)<\(element)>" } ?? element
    }

    /// Same type, whatever the indexes. Whether links and mixed values may be null is not theirs to
    /// say.
    package func hasSameType(as other: PropertyDescription) -> Bool {
        type == other.type && collection == other.collection && target == other.target
            && hasIntegerKeys == other.hasIntegerKeys
    }

    package var mayChoosePresence: Bool { type != .link && type != .mixed }
}

extension ClassSpec {
    package init(_ table: TableInfo, _ schema: Schema) {
        name = table.className
        kind = table.kind
        primaryKey = table.primaryKey.map { table.columns[$0].name }
        properties = table.columns.map { PropertyDescription($0, schema) }
        if let key = table.primaryKey { properties[key].isIndexed = false }
    }
}

extension PropertyDescription {
    package init(_ column: ColumnInfo, _ schema: Schema) {
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
    package init?(name: String) {
        let all: [ColumnType] = [
            .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .link,
            .objectID, .uuid,
        ]
        guard let found = all.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
