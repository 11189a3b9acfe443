import RealmEngine

/// `realm-bench`: measures reading.
enum BenchTool {
    /// Runs a parsed command and returns its exit code.
    static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        throw RealmError(
            .internal, code: "NotImplemented", reason: "unfinished", "this part is being built")
    }
}
