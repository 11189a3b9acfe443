/// Aliases of properties and classes in queries (query language 5.6), for APIs whose public names
/// differ from the stored names.
public struct KeyPathAliases: Sendable {
    private struct Key: Hashable {
        let table: TableKey
        let name: String
    }

    private var properties: [Key: String] = [:]
    private var classes: [String: String] = [:]

    var isEmpty: Bool { properties.isEmpty && classes.isEmpty }

    /// Maximum number of aliases that are resolved one after another if an alias leads to another
    /// alias.
    static let limit = 50

    public init() {}

    /// Adds an alias for `path` in `table`. The path is a property, `@links.Class.property`, or an
    /// empty text: a query then ignores the alias, so that `alias.name` means `name`. If a property
    /// has exactly the name `path`, dots in `path` do not separate steps.
    public mutating func add(_ alias: String, for path: String, in table: TableKey) {
        properties[Key(table: table, name: alias)] = path
    }

    /// Adds an alias for the class `name`, which queries may use as the class in
    /// `@links.Class.property`.
    public mutating func addClass(_ alias: String, for name: String) {
        classes[alias] = name
    }

    func path(for alias: String, in table: TableKey) -> String? {
        properties.isEmpty ? nil : properties[Key(table: table, name: alias)]
    }

    func className(for alias: String) -> String? { classes[alias] }
}
