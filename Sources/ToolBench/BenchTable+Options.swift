import ToolKit

extension BenchTable {
    /// How is measured.
    static let measurement: [OptionSpec] = [
        OptionSpec(
            "list", nil, in: .measurement, "list the workloads and exit",
            "List the workloads, one per line with what it measures, and exit."),
        OptionSpec(
            "runs", "r", .required("N", .count(1...10_000)), in: .measurement,
            "repetitions of each workload",
            "Repeat each workload N times. The runs of different workloads take turns, so that a "
                + "slow minute of the machine does not hit one of them alone.",
            defaultText: "5; 3 for `quick`"),
        OptionSpec(
            "num", "N", .required("N", .count(1...1_000_000_000)), in: .measurement,
            "objects to generate, operations per run",
            "Objects of a generated database, and operations per run of a workload that has no end "
                + "of its own, such as `readrandom`. "
                + "`open` does not open the file more than 1000 times.",
            defaultText: "100000; 10000 for `quick`"),
        OptionSpec(
            "time", "T", .required("DUR", .duration), in: .measurement,
            "end runs after DUR instead of after N operations",
            "End each run after DUR, whatever the number of operations. Workloads that visit every "
                + "object once may end earlier. What runs do is then no longer the same each time, "
                + "and not compared with each other."),
        OptionSpec(
            "warmup", nil, .required("DUR", .duration), in: .measurement,
            "time spent on each workload before measuring",
            "Run each workload unmeasured for this long first, at least once, so that the file is "
                + "in the page cache; a workload that writes runs once with a tenth of the "
                + "objects. `0s` leaves that out.",
            defaultText: "200ms"),
        OptionSpec(
            "rate", "R", .required("OPS", .count(1...1_000_000_000)), in: .measurement,
            "begin OPS operations per second, whatever earlier ones do",
            "Begin operations at fixed moments, OPS of them per second, and measure their latency "
                + "from those moments, even when the one before is not done. A stall then shows in "
                + "every operation it delays. The report adds how late operations began. Only for "
                + "workloads whose operations are timed one by one."),
        OptionSpec(
            "late-after", nil, .required("DUR", .duration), in: .measurement,
            "count operations that are done later than DUR",
            "Count operations that are done more than DUR after the moment they should have "
                + "begun.", requires: "rate"),
        OptionSpec(
            "seed", nil, .required("N", .count(0...Int.max)), in: .measurement,
            "seed of the random choices",
            "Seed of the random choices. The same seed makes the same file and does the same to it.",
            defaultText: "1"),
        OptionSpec(
            "distribution", nil,
            .required("D", .suggestion(["uniform", "zipfian", "latest", "sequential"])),
            in: .measurement, "how objects are chosen: uniform, zipfian, latest, sequential",
            "How workloads that choose objects at random do so: `uniform`; `zipfian`, a few very "
                + "often, with the skew behind a colon as in `zipfian:0.8` (0.99 without); "
                + "`latest`, the same with the newest ones most often; or `sequential`. The "
                + "`ycsb` workloads have their own.",
            defaultText: "uniform"),
        OptionSpec(
            "cache", nil, .required("STATE", .choice(["warm", "cold"])), in: .measurement,
            "whether the file is in memory before it is read: warm, cold",
            "`cold` asks the system before each run to forget what it keeps of the file that is "
                + "read; `warm` does not.",
            defaultText: "warm"),
        OptionSpec(
            "inject", nil, .required("FAULT", .text), in: .measurement,
            "make the figures worse on purpose: slow=30%, stall=200ms",
            "Make the measurement worse on purpose, to see whether a gate or a graph would show "
                + "it: `slow=`SHARE lets every operation take longer by SHARE percent of its time, "
                + "`stall=`DUR lets one operation in the middle of each run stand still. Both may "
                + "be given with a comma between them."),
    ]

    /// What is measured.
    static let data: [OptionSpec] = [
        OptionSpec(
            "file", nil, .required("FILE", .file), in: .data,
            "the database to read; it is never changed",
            "The database to read. It is never changed. Without it everything is measured on "
                + "generated databases of made-up people.",
            excludes: [
                "batch", "value-size", "durability", "encrypted", "dir", "keep", "writers", "pin",
                "against",
            ]),
        OptionSpec(
            "query", nil, .required("CLASS:PREDICATE", .text), in: .data,
            "time this query on FILE, its count and its rows",
            "Time this query on FILE: `query-1-count` counts the objects of CLASS that match, "
                + "`query-1-rows` finds their keys in the order of the query; a second `--query` "
                + "is `query-2`. One operation is the whole query, parsing and planning included. "
                + "A run repeats it for 200 milliseconds, but not more often than `--num` says. "
                + "Without a WORKLOAD nothing else is measured. With `--readers` several threads ask "
                + "at once. The query language is described in `realm-query(1)`.",
            isRepeatable: true, requires: "file"),
        OptionSpec(
            "value-size", nil, .required("SIZE", .size), in: .data,
            "bytes of payload in every generated object",
            "Give every generated object a binary property of SIZE random bytes, at most 16 MiB.",
            defaultText: "0"),
        OptionSpec(
            "batch", nil, .required("N", .count(1...1_000_000_000)), in: .data,
            "operations between two commits",
            "Operations between two commits of a workload that writes; `fillbatch` does ten times "
                + "as many, `pinned-growth` a tenth, `fillsync` one.",
            defaultText: "100"),
        OptionSpec(
            "durability", nil, .required("MODE", .choice(["full", "unsafe", "memory"])), in: .data,
            "whether commits are synced: full, unsafe, memory",
            "`full` syncs every commit as the tools do. `unsafe` leaves that out: such commits do "
                + "not survive a power failure. `memory` is a database without a file: this "
                + "version cannot make one yet and ends with exit status 6.",
            defaultText: "full"),
        OptionSpec(
            "encrypted", nil, in: .data, "measure on encrypted databases",
            "Encrypt the generated databases, with a key that is forgotten afterwards."),
        OptionSpec(
            "readers", nil, .required("N", .count(1...256)), in: .data,
            "threads that read in mixed workloads, or that ask queries",
            "Threads that read in `readwhilewriting`, `readwhileidle`, `readlocked` and "
                + "`writewhilereading`, each with an instance of its own, or that ask the same "
                + "query at the same time: those of `--query`, and the workloads that search and "
                + "sort. The operations of all of them count, in the time that passes for all.",
            defaultText: "1"),
        OptionSpec(
            "writers", nil, .required("N", .count(1...256)), in: .data,
            "threads that write in mixed workloads",
            "Threads that write in `readwhilewriting`, `writewhilereading` and "
                + "`tickwhilewriting`, each with an instance of its own. They take turns, as "
                + "writers of a database do.",
            defaultText: "1"),
        OptionSpec(
            "pin", nil, .required("N", .count(0...1000)), in: .data,
            "hold N old versions while a workload writes",
            "Hold the version before the measured part, and those after the first commits until "
                + "there are N, while a workload writes: what the file grows by then is what such "
                + "readers cost.", defaultText: "0; 1 for `pinned-growth`"),
        OptionSpec(
            "dir", nil, .required("DIR", .directory), in: .data,
            "where generated databases go",
            "Where generated databases go. Their file system decides what syncing costs.",
            defaultText: "the current directory"),
        OptionSpec(
            "keep", in: .data, "keep the generated databases",
            "Keep the generated databases. They are called `realm-bench-`PID`-`WORKLOAD`.realm`; a "
                + "number follows when a name is taken."),
        OptionSpec(
            "against", nil, .required("PEER", .choice(["sqlite3"])), in: .data,
            "let another program do the same in turn: sqlite3",
            "Let the `sqlite3` program found in `PATH` do the same with the same objects, run by "
                + "run in turn, and print both. See COMPARING WITH SQLITE. Workloads it has no "
                + "counterpart for are measured alone."),
    ]

    /// What the figures are held against.
    static let comparison: [OptionSpec] = [
        OptionSpec(
            "baseline", "b", .required("FILE", .file), in: .comparison,
            "compare with a saved result; exit 1 when something got worse",
            "Compare with the result in FILE, which `--save` wrote. The exit status is 1 when a "
                + "figure got worse by more than `--gate` allows. See COMPARING."),
        OptionSpec(
            "compare", nil, in: .comparison, "compare two saved results; measure nothing",
            "Measure nothing, but compare the result in the file NEW with the one in the file OLD, "
                + "as `--baseline` would.",
            excludes: [
                "baseline", "save", "file", "against", "list", "hgrm", "histogram", "plot",
            ]),
        OptionSpec(
            "gate", nil, .required("LIST", .text), in: .comparison,
            "what counts in a comparison, and how much worse it may be",
            "Which figures count in a comparison, and by how much each may be worse: `ops` is "
                + "operations per second, `p99` the latency that 99% of them keep, `cpu` the "
                + "processor time per operation, `bytes` what was written, `fsyncs` the syncs, "
                + "`size` the file at the end. On a machine that others use, `cpu` says more than "
                + "`ops` and `p99`.",
            defaultText: "`\(Gate.usual)`"),
        OptionSpec(
            "allow-different-machine", in: .comparison,
            "compare results of different machines or settings",
            "Compare results even when the machine, the settings or the kind of build differ. What "
                + "differs is printed."),
    ]

    /// Files besides the report.
    static let reports: [OptionSpec] = [
        OptionSpec(
            "save", nil, .required("FILE", .file), in: .output,
            "save the result as JSON, to compare others with",
            "Save the result as JSON in FILE, to compare later ones with. Workloads whose runs are "
                + "noisy, with quartiles more than 10% apart, are named in its member `noisy`, and "
                + "comparing with it warns of them. What a debug build measures is not saved "
                + "without `--force`: exit status 2."),
        OptionSpec(
            "histogram", in: .output, "print how the latencies are spread",
            "Print below the report how the latencies of each workload are spread."),
        OptionSpec(
            "hgrm", nil, .required("FILE", .file), in: .output,
            "write the percentile spectra to FILE",
            "Write the percentile spectrum of each workload's latencies to FILE, in microseconds, "
                + "in the form the tools of HdrHistogram read. A comment line names the workload."),
        OptionSpec(
            "plot", nil, .required("FILE", .file), in: .output,
            "draw the result as SVG",
            "Draw throughput, latencies and the growth of the files as one page of SVG in FILE, "
                + "those of `--baseline` beside them. It suits light and dark surroundings."),
    ]
}
