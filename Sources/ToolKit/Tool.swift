import RealmEngine

/// A tool: how it is called and what it does.
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

    /// One run, from the words of the command line, the name first, to the exit status.
    ///
    /// - Parameter version: what `--version` prints.
    package func run(_ arguments: [String], version: String) -> Int32 {
        ToolRun.run(table, arguments, version: version, body)
    }
}
