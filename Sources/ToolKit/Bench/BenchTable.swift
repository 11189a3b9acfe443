/// `realm-bench` as data.
enum BenchTable {
    static let table = CommandTable(
        name: "realm-bench",
        summary: "measure how fast Realm databases are read and written",
        synopsis: [
            SynopsisLine("[options] [WORKLOAD...]", "measure on generated databases"),
            SynopsisLine("[options] --file FILE [WORKLOAD...]", "measure reading FILE"),
            SynopsisLine("--list", "list the workloads"),
        ],
        operands: [
            OperandSpec(
                "WORKLOAD", .choice(WorkloadKind.allCases.map(\.rawValue)), isRepeatable: true,
                "What to measure; without one, every workload. `--list` explains them.")
        ],
        options: measurement + records + SharedOptions.output + access + general,
        manual: { CommandTable.Manual(description: description, sections: sections) })

    private static let measurement: [OptionSpec] = [
        OptionSpec(
            "file", nil, .required("FILE", .file), in: .measurement,
            "the database to read; it is never changed",
            "The database to read. It is never changed. Without it everything is measured on "
                + "generated databases of made-up people.",
            excludes: ["batch", "value-size", "durability", "dir", "keep"]),
        OptionSpec(
            "query", nil, .required("CLASS:PREDICATE", .text), in: .measurement,
            "time this query on FILE, its count and its rows",
            "Time this query on FILE: `query-1-count` counts the objects of CLASS that match, "
                + "`query-1-rows` finds their keys in the order of the query; a second `--query` "
                + "is `query-2`. One operation is the whole query, parsing and planning included. "
                + "A run repeats it for 200 milliseconds, but not more often than `--num` says. "
                + "Without a WORKLOAD nothing else is measured. The query language is described in "
                + "`realm-query(1)`.",
            isRepeatable: true, requires: "file"),
        OptionSpec(
            "list", nil, in: .measurement, "list the workloads and exit",
            "List the workloads, one per line with what it measures, and exit."),
        OptionSpec(
            "runs", "r", .required("N", .count(1...10_000)), in: .measurement,
            "repetitions of each workload",
            "Repeat each workload N times. The runs of different workloads take turns, so that a "
                + "slow minute of the machine does not hit one of them alone.",
            defaultText: "5"),
        OptionSpec(
            "num", "N", .required("N", .count(1...1_000_000_000)), in: .measurement,
            "objects to generate, operations per run",
            "Objects of a generated database, and operations per run of a workload that has no end "
                + "of its own, such as `readrandom`. "
                + "`open` does not open the file more than 1000 times.",
            defaultText: "100000"),
        OptionSpec(
            "value-size", nil, .required("SIZE", .size), in: .measurement,
            "bytes of payload in every generated object",
            "Give every generated object a binary property of SIZE random bytes, at most 16 MiB.",
            defaultText: "0"),
        OptionSpec(
            "batch", nil, .required("N", .count(1...1_000_000_000)), in: .measurement,
            "operations between two commits",
            "Operations between two commits of a workload that writes; `fillbatch` does ten times "
                + "as many, `fillsync` one.",
            defaultText: "100"),
        OptionSpec(
            "durability", nil, .required("MODE", .choice(["full", "unsafe"])), in: .measurement,
            "whether commits are synced: full, unsafe",
            "`full` syncs every commit as the tools do. `unsafe` leaves that out: such commits do "
                + "not survive a power failure.",
            defaultText: "full"),
        OptionSpec(
            "dir", nil, .required("DIR", .directory), in: .measurement,
            "where generated databases go",
            "Where generated databases go. Their file system decides what syncing costs.",
            defaultText: "the current directory"),
        OptionSpec(
            "keep", in: .measurement, "keep the generated databases",
            "Keep the generated databases. They are called `realm-bench-`PID`-`WORKLOAD`.realm`; a "
                + "number follows when a name is taken."),
        OptionSpec(
            "warmup", nil, .required("DUR", .duration), in: .measurement,
            "time spent on each workload before measuring",
            "Run each workload unmeasured for this long first, at least once, so that the file is "
                + "in the page cache; a workload that writes runs once with a tenth of the "
                + "objects. `0s` leaves that out.",
            defaultText: "200ms"),
        OptionSpec(
            "seed", nil, .required("N", .count(0...Int.max)), in: .measurement,
            "seed of the random choices",
            "Seed of the random choices. The same seed chooses the same objects.",
            defaultText: "1"),
    ]

    private static let records = SharedOptions.formats(
        ["text", "json", "csv"], auto: "`auto` is `text`.")

    private static let access: [OptionSpec] = [
        wait, threads, SharedOptions.maxMemory,
    ]

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

    private static let general: [OptionSpec] = SharedOptions.general + [SharedOptions.progress]
}
