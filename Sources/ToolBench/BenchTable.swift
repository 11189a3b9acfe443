import ToolKit

/// `realm-bench` as data.
package enum BenchTable {
    package static let table = table(
        "realm-bench", "measure how fast Realm databases are read and written", .installed)

    /// The same for other workloads, under another name.
    package static func table(
        _ name: String, _ summary: String, _ catalogue: WorkloadCatalogue
    ) -> CommandTable {
        CommandTable(
            name: name, summary: summary,
            synopsis: [
                SynopsisLine("[options] [WORKLOAD...]", "measure on generated databases"),
                SynopsisLine("[options] --file FILE [WORKLOAD...]", "measure reading FILE"),
                SynopsisLine("--compare OLD NEW", "compare two saved results"),
                SynopsisLine("--list", "list the workloads"),
            ],
            operands: [
                OperandSpec(
                    "WORKLOAD", .suggestion(catalogue.words), isRepeatable: true,
                    "What to measure: workloads, or a set of them; without one, the set `standard`. "
                        + "`--list` explains them.")
            ],
            options: measurement + data + comparison + records + SharedOptions.output + reports
                + access
                + general,
            manual: { CommandTable.Manual(description: description, sections: sections) })
    }

    private static let key = OptionSpec(
        "encryption-key-file", "K", .required("FILE", .file), in: .access,
        "read the 64-byte key from FILE",
        "Read the 64-byte encryption key of the database of `--file` from FILE. See KEY FILES in "
            + "`realm-tools(7)`.",
        defaultText: "the file named by `REALM_ENCRYPTION_KEY_FILE`, if set", requires: "file")

    private static let access: [OptionSpec] = [key, wait, threads, maxMemory]

    private static let wait = OptionSpec(
        "wait", nil, .optional("DUR", .duration), in: .access,
        "begin again while others change the file, at most DUR",
        "Begin again when another process changed the database while it was measured, until DUR "
            + "is over; without DUR, for as long as it takes. When the time is up the exit status "
            + "is 7.",
        defaultText: "begin again twice")

    private static let threads = OptionSpec(
        "threads", "j", .required("N", .count(0...1024)), in: .access,
        "worker threads of export, 0 = one per processor",
        "Use N worker threads where one operation can use several, as in `export`; 0 means one per "
            + "processor.",
        defaultText: "0")

    private static let maxMemory = OptionSpec(
        "max-memory", nil, .required("SIZE", .size), in: .access,
        "what the workers of an export may take",
        "Let an `export` that is measured use no more worker threads than SIZE has room for, at 4 "
            + "MiB each. Nothing else is kept below it; the report tells what memory was used.",
        defaultText: "64MiB")

    private static let general: [OptionSpec] = SharedOptions.general + [SharedOptions.progress]

    private static let records = SharedOptions.formats(
        ["text", "json", "csv"], auto: "`auto` is `text`.")
}
