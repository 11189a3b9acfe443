import ToolKit

/// The command table of `realm-bench`.
package enum BenchTable {
    package static let table = table(
        "realm-bench", "measure how fast Realm databases are read and written", .installed)

    /// Creates a command table for a program called `name` with the workloads of `catalogue`.
    package static func table(
        _ name: String, _ summary: String, _ catalogue: WorkloadCatalogue
    ) -> CommandTable {
        CommandTable(
            name: name, summary: summary,
            synopsis: [
                SynopsisLine("[options] [WORKLOAD...]", "measure on generated databases"),
                SynopsisLine("[options] --file FILE [WORKLOAD...]", "measure reading FILE"),
                SynopsisLine("--scaling [options] [WORKLOAD...]", "report how costs grow"),
                SynopsisLine("--compare OLD NEW", "compare two saved results"),
                SynopsisLine("--list", "list the workloads"),
            ],
            operands: [
                OperandSpec(
                    "WORKLOAD", .suggestion(catalogue.words), isRepeatable: true,
                    "Name of a workload to measure, or of a set of workloads. The default is the "
                        + "set `standard`, or with `--scaling` the set `scaling`. `--list` "
                        + "describes all workloads.")
            ],
            options: BenchOption.table,
            manual: { CommandTable.Manual(description: description, sections: sections) })
    }
}
