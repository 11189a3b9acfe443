import ToolKit

extension BenchTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-bench` measures how fast this library reads and writes: a database you have, "
                + "or generated ones, which can be written to as well. It runs each WORKLOAD "
                + "several times and reports the median of the runs, the spread between "
                + "them, and how long single operations took. It can compare the result with an "
                + "older one, and fail when something got worse."),
        .paragraph(
            "A FILE is read through the page cache, never changed, and nothing is created "
                + "beside it. Measure with a release build: a debug build says so, and its numbers "
                + "mean nothing."),
        .paragraph("These workloads read FILE, or a generated database of made-up people:"),
        definitions(WorkloadCatalogue.reading),
        .paragraph(
            "Without `--file` there are also these about the generated people; where one is a "
                + "query, one operation is the whole query, parsing and planning included:"),
        definitions(WorkloadCatalogue.queries),
        .paragraph("And these, each on a new file in every run:"),
        definitions(
            WorkloadCatalogue.writing + WorkloadCatalogue.concurrent + WorkloadCatalogue.objects
                + WorkloadCatalogue.yahoo),
        .paragraph(
            "These do one thing to many objects at once, each on a new file in every run. They are "
                + "meant for `--scaling`:"),
        definitions(WorkloadCatalogue.bulk),
        .paragraph(
            "The `ycsb` workloads use as many records of ten texts of 100 bytes as `--num` says, a "
                + "tenth as many operations, and a commit for each that writes."),
        .definitions(
            WorkloadCatalogue.installed.sets.map {
                ("`\($0.rawValue)`", sentence("a set: " + $0.summary))
            }),
        .paragraph(
            "Every workload checks its own result: the objects read are as many as there are, what "
                + "was written is checked and read back, and all runs find the same. If not, the "
                + "exit status is 10."
        ),
    ]

    private static func definitions(_ plans: [WorkloadPlan]) -> ManualBlock {
        .definitions(plans.map { ("`\($0.name)`", sentence($0.summary)) })
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    static let sections: [ManualSection] = [
        ManualSection("FIGURES", figures),
        ManualSection("SCALING", growth),
        ManualSection("COMPARING", comparing),
        ManualSection("COMPARING WITH SQLITE", peer),
        ManualSection("OUTPUT FORMS", outputForms),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        .seeAlso(from: "realm-bench"),
    ]

    private static let figures: [ManualBlock] = [
        .definitions([
            ("OPS/S", "Operations per second: the median of the runs."),
            (
                "+/-",
                "Printed as one sign. How sure that is: half the width of the interval that holds "
                    + "the median with a "
                    + "confidence of 95% (bootstrap over the runs), relative to the median."
            ),
            (
                "P50, P99, P99.9, MAX",
                "How long single operations took, over all runs: half of them, 99% and 99.9% were "
                    + "not slower. Off by less than 0.1%; the maximum is exact. With `--rate`, from "
                    + "the moment they should have begun."
            ),
            ("OPS", "Operations of one run."),
            ("USER, SYSTEM", "Processor time of one run, inside the program and in the kernel."),
            (
                "CPU/OP",
                "Both together per operation: what holds even when others use the processor too."
            ),
            (
                "MEMORY",
                "Memory at the most. Pages of the mapped file count, though the system takes them "
                    + "back whenever it needs to."
            ),
            (
                "FAULTS",
                "Page faults of one run that were answered from memory; behind a plus sign, those "
                    + "that waited for a disk."
            ),
            ("COMMITS, FSYNC", "Commits and syncs of one run."),
            (
                "WORK, SYNC, each with P99",
                "How long a commit took, without and with nothing but waiting for its syncs: the "
                    + "median and what 99% of the commits kept."
            ),
            ("WRITTEN", "Bytes written to the file in one run."),
            ("KERNEL", "Bytes the kernel had to store for that, as it counts them."),
            ("W-AMP", "Bytes written for each byte of the values that changed."),
            ("FILE", "Size of the file at the end."),
            ("COMPACT", "Size of a compacted copy."),
            ("S-AMP", "Size of the file for each byte that its newest version uses."),
            (
                "PINNED",
                "Bytes that could be used again if nobody held an older version."
            ),
            ("VERS", "Most versions that existed at the same time."),
        ]),
        .paragraph(
            "When the quartiles of the runs lie more than 10% apart a warning says that they are "
                + "too noisy to compare. A debug build, a file in memory and a busy machine are "
                + "warned of as well."),
    ]

    private static let comparing: [ManualBlock] = [
        .paragraph(
            "`--save` keeps a result, `--baseline` holds a new one against it, `--compare` holds "
                + "two saved ones against each other. The runs of both are judged figure by "
                + "figure. Something got worse only if three things hold: the median changed by "
                + "more than `--gate` allows, the intervals of both medians lie apart, and every "
                + "new run is worse than every old one. Bytes, syncs and sizes do not vary; for "
                + "them the first is enough."),
        .paragraph(
            "When the runs of one side are noisy, no winner is called. A figure that got worse "
                + "is then reported only if even the best new run is worse than the worst old run "
                + "by more than the gate allows. A noisy baseline is saved, and named whenever it is "
                + "compared with, since it hides smaller changes. A single run says nothing about "
                + "times."),
        .paragraph(
            "Results of different machines, kernels, file systems, builds or settings are not "
                + "compared without `--allow-different-machine`. Exit status 1 means that at least "
                + "one figure got worse."),
    ]

    private static let peer: [ManualBlock] = [
        .paragraph(
            "`--against sqlite3` lets SQLite do the same with the same objects in the same order. "
                + "Its settings are printed: write-ahead logging, and a sync for each commit "
                + "unless `--durability` is `unsafe`. The objects are taken from another of its "
                + "databases and a batch is one statement, so that no time is spent on parsing "
                + "statements; an application that sends them one by one is slower. Single "
                + "operations are not timed. A question mark behind a ratio says that the runs of "
                + "one side were too noisy to call a winner."),
        .paragraph(
            "A Realm database knows for every object who links to it. SQLite does not, unless the "
                + "columns with links have an index: `--against sqlite3-inverse` gives it those, so "
                + "that both can answer the same questions, and both have the same to write."),
    ]

    private static let outputForms: [ManualBlock] = [
        .definitions([
            ("`text`", "A table for people. Its look may change."),
            (
                "`json`",
                "One object: the build, the machine, the options in force, and in `results` one "
                    + "object per workload with all its runs. Times are nanoseconds. `engine.id` is "
                    + "the beginning of the build identity in the program file, as in the first "
                    + "line of the text: two results with the same one come from the same build."
            ),
            ("`csv`", "A header, then one line per workload with the same numbers."),
        ]),
        .paragraph(
            "With `--scaling` the object of `json` has `scaling` instead of `results`: one object "
                + "per workload with `cpuExponent`, `fileExponent` and, in `sizes`, the figures of "
                + "each size with the exponents since the one before. `csv` has one line per "
                + "workload and size."),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done; nothing got worse."),
            (
                "1",
                "A figure got worse by more than the gate allows, or grows with a larger exponent "
                    + "than `--fail-above` allows."
            ),
            (
                "2",
                "A bad option, an unknown workload, results that cannot be compared, or one of a "
                    + "debug build to be saved."
            ),
            (
                "3",
                "FILE is missing, cannot be read or is not a Realm file; a saved result is not "
                    + "one; `sqlite3` cannot be run."
            ),
            ("4", "FILE is damaged or truncated."),
            ("5", "FILE is encrypted and no key was given, or the key is of no use."),
            (
                "6",
                "The format of FILE is not one this version reads, or `--durability memory` asks "
                    + "for what it cannot do yet."
            ),
            ("7", "Others kept changing FILE while it was measured."),
            ("9", "The report could not be written."),
            ("10", "A bug: please report it."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example("Every workload that reads, on one file:", ["realm-bench --file mail.realm"]),
        .example(
            "Sequential reading only, ten runs, as JSON:",
            ["realm-bench --file mail.realm -r 10 --json readseq"]),
        .example(
            "What commits cost on another disk:",
            ["realm-bench --dir /mnt/data -N 20000 fillbatch fillsync churn"]),
        .example(
            "Two queries side by side:",
            [
                "realm-bench --file mail.realm --query 'Email:read == false' \\",
                "    --query 'Email:size > 100000 SORT(size DESC) LIMIT(20)'",
            ]),
        .example(
            "Two commits of a program's source, in CI:",
            [
                "realm-bench --save main.json",
                "realm-bench --baseline main.json --gate ops=5%,p99=10%,size=2%",
            ]),
        .example(
            "Whether anything grows faster than the number of objects, in CI:",
            ["realm-bench --scaling -N 50000 --fail-above 1.15"]),
        .example(
            "One workload at five sizes:", ["realm-bench --scaling=5 -N 10000 delete-linked"]),
        .example(
            "Whether 20000 reads per second are answered in time:",
            ["realm-bench --rate 20000 --late-after 1ms --histogram readrandom"]),
        .example(
            "What a reader that never moves on costs:", ["realm-bench pinned-growth --pin 3"]),
        .example(
            "The median throughput of each workload:",
            [
                "realm-bench --file mail.realm --json |",
                "    jq -r '.results[] | \"\\(.workload) \\(.ops)\"'",
            ]),
    ]
}
