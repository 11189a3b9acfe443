/// Other names for properties and classes that a query may use (query language 5.6): how an API
/// offers public names that differ from the stored ones.
public struct KeyPathAliases: Sendable {
    private struct Key: Hashable {
        let table: TableKey
        let name: [UInt8]
    }

    private var properties: [Key: [UInt8]] = [:]
    private var classes: [[UInt8]: [UInt8]] = [:]

    var isEmpty: Bool { properties.isEmpty && classes.isEmpty }

    /// Aliases of aliases are followed this often.
    static let limit = 50

    public init() {}

    /// Adds an alias for `path` in `table`: a property, `@links.Class.property`, or an empty text to
    /// skip the step. If a property has the whole text as its name, `path` is that property.
    public mutating func add(_ alias: String, for path: String, in table: TableKey) {
        properties[Key(table: table, name: [UInt8](alias.utf8))] = [UInt8](path.utf8)
    }

    /// Behind `@links`, `alias` stands for the class `name`.
    public mutating func addClass(_ alias: String, for name: String) {
        classes[[UInt8](alias.utf8)] = [UInt8](name.utf8)
    }

    mutating func set(_ alias: [UInt8], to path: [UInt8], in table: TableKey) {
        properties[Key(table: table, name: alias)] = path
    }

    func path(for alias: [UInt8], in table: TableKey) -> [UInt8]? {
        properties.isEmpty ? nil : properties[Key(table: table, name: alias)]
    }

    func className(for alias: [UInt8]) -> [UInt8]? { classes[alias] }
}
