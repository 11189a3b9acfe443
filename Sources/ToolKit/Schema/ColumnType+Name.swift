import RealmEngine

extension ColumnType {
    /// The type of that name in schema text and JSON; nil for those that cannot be asked for.
    public init?(name: String) {
        let all: [ColumnType] = [
            .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .link,
            .objectID, .uuid,
        ]
        guard let found = all.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
