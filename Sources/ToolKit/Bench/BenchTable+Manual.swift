extension BenchTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-bench` measures how fast this library reads a database you have. It runs each "
                + "WORKLOAD several times and reports the median of the runs, the spread between "
                + "them, and how long single operations took."),
        .paragraph(
            "The file is read through the page cache, never changed, and nothing is created "
                + "beside it. Measure with a release build: a debug build says so, and its numbers "
                + "mean nothing."),
        .definitions([
            ("`open`", "Open the file, read its schema and close it."),
            ("`readseq`", "Read every property of every object, in the order of their keys."),
            ("`readrandom`", "Look up objects at random by key and read every property."),
            ("`export`", "Write every object as NDJSON into memory, as `realm-query --all` would."),
        ]),
    ]

    static let sections: [ManualSection] = [
        ManualSection("OUTPUT FORMS", outputForms),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        ManualSection("SEE ALSO", [.paragraph("`realm-query(1)`, `realm-tools(7)`")]),
    ]

    private static let outputForms: [ManualBlock] = [
        .definitions([
            ("`text`", "A table for people. Its look may change."),
            (
                "`json`",
                "One object: the build, the machine, the options in force, and in `results` one "
                    + "object per workload with all its runs. Times are nanoseconds."
            ),
            ("`csv`", "A header, then one line per workload with the same numbers."),
        ])
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done."),
            ("2", "A bad option or an unknown workload."),
            ("3", "FILE is missing, cannot be read or is not a Realm file."),
            ("4", "FILE is damaged or truncated."),
            ("6", "The format of FILE is not one this version reads."),
            ("9", "The report could not be written."),
            ("10", "A bug: please report it."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example("Every workload on one file:", ["realm-bench --file mail.realm"]),
        .example(
            "Sequential reading only, ten runs, as JSON:",
            ["realm-bench --file mail.realm -r 10 --json readseq"]),
        .example(
            "The median throughput of each workload:",
            [
                "realm-bench --file mail.realm --json |",
                "    jq -r '.results[] | \"\\(.workload) \\(.ops)\"'",
            ]),
    ]
}
