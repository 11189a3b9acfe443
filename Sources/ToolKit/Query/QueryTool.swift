import RealmEngine

/// `realm-query`: reads anything, changes nothing.
enum QueryTool {
    /// Runs a parsed command and returns its exit code.
    static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        throw RealmError(
            .internal, code: "NotImplemented", reason: "unfinished", "this part is being built")
    }
}
