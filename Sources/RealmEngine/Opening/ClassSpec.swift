/// Description of a class, which exists in a database or is defined by a program. The primary key
/// and the targets of links are given by name.
public struct ClassSpec: Sendable {
    public var name: String
    public var kind: TableKind
    /// Name of the primary key property; nil if the class has none.
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

    /// Returns the property with the given name; nil if there is none.
    package func property(_ name: String) -> PropertyDescription? {
        position(of: name).map { properties[$0] }
    }

    /// Returns the index of the property with the given name; nil if there is none.
    func position(of name: String) -> Int? { names.position(of: name, in: properties) }

    /// Appends a property and updates the cached index of names. Assigning `properties` would
    /// discard that index.
    package mutating func append(_ property: PropertyDescription) {
        let isOwn = isKnownUniquelyReferenced(&names)
        let names = names
        properties.append(property)
        guard isOwn else { return }
        names.add(property.name, properties.count - 1)
        self.names = names
    }

    /// Renames a property and updates the cached index of names. No property may have the new name.
    mutating func rename(_ position: Int, to name: String) {
        let isOwn = isKnownUniquelyReferenced(&names)
        let names = names
        let old = properties[position].name
        properties[position].name = name
        guard isOwn, names.rename(old, to: name, count: properties.count) else { return }
        self.names = names
    }
}

/// Key of the dictionary of property names. Compares names by their bytes, not by Unicode
/// equivalence.
private struct NameKey: Hashable {
    let name: String

    static func == (a: NameKey, b: NameKey) -> Bool { NameIndex.compare(a.name, b.name) == 0 }

    func hash(into hasher: inout Hasher) {
        name.withView {
            hasher.combine(bytes: UnsafeRawBufferPointer(start: $0.base, count: $0.count))
        }
    }
}

/// Finds the properties of a class by name. Searches the list at first, and builds a dictionary
/// after about 1000 comparisons of names.
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

    /// Adds a property to the index of names. The caller must be the only owner of this object. A
    /// name that several properties have keeps the position of the first.
    func add(_ name: String, _ position: Int) {
        let key = NameKey(name: name)
        state.withLock { state in
            if state.positions?[key] == nil { state.positions?[key] = position }
        }
    }

    /// Renames a property of a class with `count` properties. The caller must be the only owner of
    /// this object. Returns false without a change if several properties have the same name.
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

/// Description of a property. The target of a link is given by name.
public struct PropertyDescription: Sendable {
    public var name: String
    public var type: ColumnType
    public var isOptional: Bool
    public var collection: CollectionKind?
    /// Name of the target class; nil unless the property is a link.
    public var target: String?
    /// Whether a dictionary has integer keys.
    package var hasIntegerKeys = false
    public var isIndexed = false
    public var isFullText = false
    /// Key of the stored property that this description was made from; nil for a new property.
    var storedKey: ColumnKey?

    /// Kind of the search index that the property has or should have.
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

    /// The type as in a textual schema, such as `Person?` or `list<int>`.
    package var typeText: String {
        let isObvious =
            type == .mixed || (type == .link && (collection == .list || collection == .set))
        let element = (target ?? type.name) + (isOptional && !isObvious ? "?" : "")
        if hasIntegerKeys { return "dictionary<int, \(element)>" }
        return collection.map { "\($0.rawValue)<\(element)>" } ?? element
    }

    /// Whether both properties have the same type, without regard to indexes and to whether they
    /// are optional.
    package func hasSameType(as other: PropertyDescription) -> Bool {
        type == other.type && collection == other.collection && target == other.target
            && hasIntegerKeys == other.hasIntegerKeys
    }

    /// Whether the property may be either optional or required. False for links and mixed values,
    /// whose type determines it.
    package var mayChoosePresence: Bool { type != .link && type != .mixed }

    /// Whether one of the properties is optional and the other is required. Both must have the same
    /// type.
    package func hasOtherPresence(than other: PropertyDescription) -> Bool {
        isOptional != other.isOptional && mayChoosePresence
    }
}

extension ClassSpec {
    /// Makes the description of an existing class.
    package init(_ table: TableInfo, _ schema: Schema) {
        name = table.className
        kind = table.kind
        primaryKey = table.primaryKey.map { table.columns[$0].name }
        properties = table.columns.map { PropertyDescription($0, schema) }
        if let key = table.primaryKey { properties[key].isIndexed = false }
    }
}

extension PropertyDescription {
    /// Makes the description of an existing property.
    package init(_ column: ColumnInfo, _ schema: Schema) {
        name = column.name
        type = column.type
        isOptional = column.isNullable
        collection = column.collection
        target = column.type == .link ? schema.table(column.target)?.className : nil
        hasIntegerKeys = column.hasIntegerKeys
        // An index of an old format counts as an index that the property should have, although it
        // is never read.
        isIndexed = column.index == .general || (column.index == .none && column.isIndexed)
        isFullText = column.index == .fullText
        storedKey = column.key
    }
}
