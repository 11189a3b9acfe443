/// Other names for properties and classes that a query may use (query language 5.6): how an API
/// offers public names that differ from the stored ones.
public struct KeyPathAliases: Sendable {
    private struct Key: Hashable {
        let table: TableKey
        let name: String
    }

    private var properties: [Key: String] = [:]
    private var classes: [String: String] = [:]

    var isEmpty: Bool { properties.isEmpty && classes.isEmpty }

    /// Aliases of aliases are followed this often.
    static let limit = 50

    public init() {}

    /// Adds an alias for `path` in `table`: a property, `@links.Class.property`, or an empty text to
    /// skip the step. If a property has the whole text as its name, `path` is that property.
    public mutating func add(_ alias: String, for path: String, in table: TableKey) {
        properties[Key(table: table, name: alias)] = path
    }

    /// Behind `@links`, `alias` stands for the class `name`.
    public mutating func addClass(_ alias: String, for name: String) {
        classes[alias] = name
    }

    func path(for alias: String, in table: TableKey) -> String? {
        properties.isEmpty ? nil : properties[Key(table: table, name: alias)]
    }

    func className(for alias: String) -> String? { classes[alias] }
}
