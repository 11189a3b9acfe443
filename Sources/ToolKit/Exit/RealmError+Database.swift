import RealmEngine

extension RealmError {
    /// Machine-readable reasons of errors about unknown classes and properties.
    private static let schemaReasons: Set = [
        "unknown-class", "unknown-property", "unknownClass", "unknownProperty",
        "unknownSortProperty", "unknownBacklink", "noSubProperty",
    ]

    /// Returns this error with the path of the database. A mistake on the command line or in a
    /// query gets no path, unless it concerns a class or property that the database lacks.
    package func inDatabase(_ path: String) -> RealmError {
        kind == .misuse && !Self.schemaReasons.contains(reason) ? self : inFile(path)
    }
}

extension RealmError {
    /// Returns the hint with the options of the tools, since the engine's hints do not mention
    /// options. Nil if there is no hint.
    func advice(from tool: String) -> String? {
        guard let hint else { return nil }
        if kind == .corrupt, hint == Self.damageHint { return Self.rescue(from: tool) }
        return Self.advice[hint] ?? hint
    }

    private static func rescue(from tool: String) -> String {
        let rescue = "realm-compact --salvage -o NEW FILE rescues what can be read"
        return tool == "realm-compact"
            ? "copy the file first; " + rescue
            : "copy the file first; realm-compact --check FILE tells what is damaged, " + rescue
    }

    /// For each hint of the engine, the hint of the tools: it names options, which the engine does
    /// not have.
    static let advice = [
        "wait for it": "wait for it: --wait",
        "wait for it, or end that program": "wait for it: --wait; or end that program",
        "wait for it, or end all programs that have the database open":
            "wait for it: --wait; or end all programs that have the database open",
        "read it without its lock file, or wait until the other programs end":
            "read it with --access immutable, or wait until the other programs end",
        "remove the other names, or write a copy":
            "remove the other names, or write a copy; --force goes by this name",
        "stop them, wait until they end, or write a copy":
            "stop them, use --wait=30s, or write a copy with -o",
        "a compacted copy has the same format":
            "-o FILE writes a compacted copy of the same format",
        "convert it first": "realm-compact --to-format 24 -o NEW FILE converts it",
        "it needs its key": "-K FILE names the file that holds its key",
        "an encrypted file needs its key": "an encrypted file needs its key: -K FILE",
        "copy that version to a new file, or delete this one if it has no use":
            "realm-compact --at previous -o NEW FILE writes that version to a new file; without use "
            + "for it, delete this one",
        "rescue what it holds into a new file, or delete this one if it has no use":
            "realm-compact --salvage -o NEW FILE rescues what can be read; without use for it, delete "
            + "this one",
    ]
}
