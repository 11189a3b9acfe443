import RealmEngine

/// A command-line tool: its command table and its implementation.
package struct Tool: Sendable {
    package let table: CommandTable
    private let body: @Sendable (ParsedCommand) throws(RealmError) -> ExitCode

    package init(
        _ table: CommandTable,
        _ body: @escaping @Sendable (ParsedCommand) throws(RealmError) -> ExitCode
    ) {
        self.table = table
        self.body = body
    }

    /// Runs the tool with the words of the command line, beginning with its name, and returns the
    /// exit status.
    ///
    /// - Parameter version: version that `--version` prints.
    package func run(_ arguments: [String], version: String) -> Int32 {
        ToolRun.run(table, arguments, version: version, body)
    }
}
