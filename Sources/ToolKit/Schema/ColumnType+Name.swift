import RealmEngine

extension ColumnType {
    private static let nameable: [ColumnType] = [
        .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .link,
        .objectID, .uuid,
    ]

    /// Returns the type with this name in schema text and JSON. Nil for types that properties
    /// cannot have. `binary` is an alias of `data`.
    public init?(name: String) {
        let name = name == "binary" ? ColumnType.binary.name : name
        guard let found = Self.nameable.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Names of the types that properties can have, except links.
    package static var names: [String] { nameable.filter { $0 != .link }.map(\.name) }
}
