/// A class as it is wanted, or as a database has it: everything goes by its name.
public struct ClassSpec: Sendable {
    public var name: String
    public var kind: TableKind
    /// Name of the primary key's property.
    public var primaryKey: String?
    public var properties: [PropertyDescription] { didSet { names = PropertyNames() } }
    private var names = PropertyNames()

    public init(
        name: String, kind: TableKind, primaryKey: String? = nil,
        properties: [PropertyDescription]
    ) {
        self.name = name
        self.kind = kind
        self.primaryKey = primaryKey
        self.properties = properties
    }

    /// The property of that name.
    package func property(_ name: String) -> PropertyDescription? {
        position(of: name).map { properties[$0] }
    }

    /// Position of the property of that name.
    func position(of name: String) -> Int? { names.position(of: name, in: properties) }

    /// Adds a property at the end. The others are found by name as fast as before, which a change of
    /// `properties` does not promise.
    package mutating func append(_ property: PropertyDescription) {
        let isOwn = isKnownUniquelyReferenced(&names)
        let names = names
        properties.append(property)
        guard isOwn else { return }
        names.add(property.name, properties.count - 1)
        self.names = names
    }

    /// Gives a property another name, which no property has; all are found by name as fast as before.
    mutating func rename(_ position: Int, to name: String) {
        let isOwn = isKnownUniquelyReferenced(&names)
        let names = names
        let old = properties[position].name
        properties[position].name = name
        guard isOwn, names.rename(old, to: name, count: properties.count) else { return }
        self.names = names
    }
}

/// A name that equals another of the same bytes.
private struct NameKey: Hashable {
    let name: String

    static func == (a: NameKey, b: NameKey) -> Bool { NameIndex.compare(a.name, b.name) == 0 }

    func hash(into hasher: inout Hasher) {
        name.withView {
            hasher.combine(bytes: UnsafeRawBufferPointer(start: $0.base, count: $0.count))
        }
    }
}

/// Finds the properties of a class by name: one by one, until that has cost more than positions by name.
private final class PropertyNames: Sendable {
    private struct State {
        var comparisons = 0
        var positions: [NameKey: Int]?
    }

    private let state = LockedValue(State())

    func position(of name: String, in properties: [PropertyDescription]) -> Int? {
        let count = properties.count
        return state.withLock { state -> Int? in
            state.comparisons += count
            if state.positions == nil, state.comparisons > 16 * max(64, count) {
                state.positions = Dictionary(
                    properties.enumerated().map { (NameKey(name: $1.name), $0) },
                    uniquingKeysWith: { first, _ in first })
            }
            if let positions = state.positions { return positions[NameKey(name: name)] }
            return properties.firstIndex { NameIndex.compare($0.name, name) == 0 }
        }
    }

    /// Adds a property of the only class that has these names; the first of several with one name is
    /// the one that is found.
    func add(_ name: String, _ position: Int) {
        let key = NameKey(name: name)
        state.withLock { state in
            if state.positions?[key] == nil { state.positions?[key] = position }
        }
    }

    /// Renames a property of the only class that has these names, `count` of them; false, with nothing
    /// done, when several have one name.
    func rename(_ old: String, to new: String, count: Int) -> Bool {
        let (before, after) = (NameKey(name: old), NameKey(name: new))
        return state.withLock { state in
            guard let known = state.positions else { return true }
            guard known.count == count else { return false }
            state.positions?[before] = nil
            state.positions?[after] = known[before]
            return true
        }
    }
}

/// A property with the class it leads to by name.
public struct PropertyDescription: Sendable {
    public var name: String
    public var type: ColumnType
    public var isOptional: Bool
    public var collection: CollectionKind?
    /// Of links.
    public var target: String?
    /// Of dictionaries.
    package var hasIntegerKeys = false
    public var isIndexed = false
    public var isFullText = false

    /// The index it has, or is to have.
    package var index: IndexKind { isFullText ? .fullText : isIndexed ? .general : .none }

    public init(
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

    /// Whether it may be optional or required as one likes.
    package var mayChoosePresence: Bool { type != .link && type != .mixed }

    /// One may be null and the other not, of two of the same type.
    package func hasOtherPresence(than other: PropertyDescription) -> Bool {
        isOptional != other.isOptional && mayChoosePresence
    }
}

extension ClassSpec {
    /// A class as a database has it.
    package init(_ table: TableInfo, _ schema: Schema) {
        name = table.className
        kind = table.kind
        primaryKey = table.primaryKey.map { table.columns[$0].name }
        properties = table.columns.map { PropertyDescription($0, schema) }
        if let key = table.primaryKey { properties[key].isIndexed = false }
    }
}

extension PropertyDescription {
    /// A property as a database has it.
    package init(_ column: ColumnInfo, _ schema: Schema) {
        name = column.name
        type = column.type
        isOptional = column.isNullable
        collection = column.collection
        target = column.type == .link ? schema.table(column.target)?.className : nil
        hasIntegerKeys = column.hasIntegerKeys
        // Indexes of old formats are asked for, but never read.
        isIndexed = column.index == .general || (column.index == .none && column.isIndexed)
        isFullText = column.index == .fullText
    }
}
