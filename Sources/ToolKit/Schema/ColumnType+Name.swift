import RealmEngine

extension ColumnType {
    private static let nameable: [ColumnType] = [
        .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .link,
        .objectID, .uuid,
    ]

    /// The type of that name in schema text and JSON; nil for types that no property has.
    /// `binary` is another name of `data`.
    public init?(name: String) {
        let name = name == "binary" ? ColumnType.binary.name : name
        guard let found = Self.nameable.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The names of the types that properties may have, but for links.
    package static var names: [String] { nameable.filter { $0 != .link }.map(\.name) }
}
