import RealmEngine

extension RealmError {
    /// Names of classes and properties that are not there, as tools and queries report them.
    private static let schemaReasons: Set = [
        "unknown-class", "unknown-property", "unknownClass", "unknownProperty",
        "unknownSortProperty", "unknownBacklink", "noSubProperty",
    ]

    /// The same error with the name of the database it is about. A mistake on the command line or in
    /// a query is about none, unless it is a class or property that the database does not have.
    func inDatabase(_ path: String) -> RealmError {
        kind == .misuse && !Self.schemaReasons.contains(reason) ? self : inFile(path)
    }
}
