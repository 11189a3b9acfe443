import RealmEngine

extension RealmError {
    /// Names of classes and properties that are not there, as tools and queries report them.
    private static let schemaReasons: Set = [
        "unknown-class", "unknown-property", "unknownClass", "unknownProperty",
        "unknownSortProperty", "unknownBacklink", "noSubProperty",
    ]

    /// The same error with the name of the database it is about. A mistake on the command line or in
    /// a query is about none, unless it is a class or property that the database does not have.
    package func inDatabase(_ path: String) -> RealmError {
        kind == .misuse && !Self.schemaReasons.contains(reason) ? self : inFile(path)
    }
}

extension RealmError {
    /// The next step as a person at a shell can take it: the engine knows of no tools.
    func advice(from tool: String) -> String? {
        guard kind == .corrupt, hint == Self.damageHint else { return hint }
        let rescue = "realm-compact --salvage -o NEW FILE rescues what can be read"
        return tool == "realm-compact"
            ? "copy the file first; " + rescue
            : "copy the file first; realm-compact --check FILE tells what is damaged, " + rescue
    }
}
