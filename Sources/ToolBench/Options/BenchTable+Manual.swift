import ToolKit

extension BenchTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-bench` measures how fast this library reads and writes Realm databases. It "
                + "reads an existing database, or reads and writes generated ones. It runs each "
                + "WORKLOAD several times, and reports the median of the runs, how much they "
                + "differ, and the latency of single operations. It can compare the result with an "
                + "older one, and exits with status 1 if it has become worse."),
        .paragraph(
            "FILE is read through the page cache. It is never changed, and no file is created "
                + "beside it. Measure with a release build. The figures of a debug build are "
                + "meaningless, and it prints a warning."),
        .paragraph("These workloads read FILE, or a generated database of fictional people:"),
        definitions(WorkloadCatalogue.reading),
        .paragraph(
            "These workloads need the generated people, so they do not run with `--file`. If the "
                + "workload is a query, an operation is the whole query, including parsing and "
                + "planning:"),
        definitions(WorkloadCatalogue.queries),
        .paragraph(
            "These workloads create a new file in every run. N is the number of objects, `--num`:"),
        definitions(
            WorkloadCatalogue.writing + WorkloadCatalogue.concurrent + WorkloadCatalogue.objects
                + WorkloadCatalogue.yahoo),
        .paragraph(
            "These workloads change many objects at once, on a new file in every run. They are "
                + "meant for `--scaling`. N is the number of objects, `--num`:"),
        definitions(WorkloadCatalogue.bulk),
        .paragraph(
            "The `ycsb` workloads use a database of `--num` records, each with ten strings of 100 "
                + "bytes. A run has a tenth as many operations as there are records. Each "
                + "operation that writes is one commit."),
        .definitions(
            WorkloadCatalogue.installed.sets.map {
                ("`\($0.rawValue)`", sentence("a set: " + $0.summary))
            }),
        .paragraph(
            "Every workload checks its own result: the number of objects that were read, and data "
                + "that was written, which is read again. All runs must have the same result. If a "
                + "check fails, the exit status is 10."
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
            ("OPS/S", "Operations per second, the median of the runs."),
            (
                "+/-",
                "Uncertainty of the median in percent: half the width of its 95% confidence "
                    + "interval (bootstrap over the runs). In the report, the heading of this "
                    + "column is the plus-minus sign."
            ),
            (
                "P50, P99, P99.9, MAX",
                "Percentiles of the latency of single operations, over all runs. Their error is "
                    + "below 0.1%; the maximum is exact. With `--rate`, latency is measured from "
                    + "the scheduled start."
            ),
            ("OPS", "Operations of one run."),
            (
                "USER, SYSTEM",
                "Processor time of one run: USER is the time in the program, SYSTEM the time in "
                    + "the kernel."
            ),
            (
                "CPU/OP",
                "Processor time per operation, in the program and in the kernel. Other programs "
                    + "that use the processor hardly change it."
            ),
            (
                "MEMORY",
                "Peak memory. It includes pages of the mapped file, which the system can reclaim "
                    + "at any time."
            ),
            (
                "FAULTS",
                "Page faults of one run: the number of minor faults, which are served from memory, "
                    + "and, after a plus sign, the number of major faults, which wait for a disk."
            ),
            ("COMMITS, FSYNC", "Commits and syncs of one run."),
            (
                "WORK, SYNC, each with P99",
                "WORK is the time of a commit without its syncs, and SYNC is the time of its "
                    + "syncs. Each is shown as the median and, under P99, the 99th percentile."
            ),
            ("WRITTEN", "Bytes written to the file in one run."),
            ("KERNEL", "Bytes written to the disk in one run, as counted by the kernel."),
            (
                "W-AMP",
                "Write amplification: bytes written to the file, divided by the bytes of the "
                    + "changed values."
            ),
            ("FILE", "Final size of the file."),
            ("COMPACT", "Size of a compacted copy."),
            (
                "S-AMP",
                "Space amplification: the file size, divided by the bytes that its newest version "
                    + "uses."
            ),
            (
                "PINNED",
                "Bytes that cannot be reused because a reader holds an older version."
            ),
            ("VERS", "Maximum number of versions that existed at the same time."),
        ]),
        .paragraph(
            "If the quartiles of a workload's runs are more than 10% apart, a warning says that "
                + "the runs are too noisy to compare. A debug build, a file in memory and a busy "
                + "machine cause warnings too."),
    ]

    private static let comparing: [ManualBlock] = [
        .paragraph(
            "`--save` saves a result, `--baseline` compares a new result with it, and `--compare` "
                + "compares two saved results. Each figure that `--gate` names is compared on its "
                + "own. It counts as worse only if three conditions hold: the median became worse "
                + "by more than `--gate` allows; the confidence intervals of the two medians do "
                + "not overlap; and every new run is worse than every old run. Bytes, syncs and "
                + "sizes are the same in every run; for them the first condition is enough."),
        .paragraph(
            "If the runs of one side are noisy, neither side is called faster. A figure then "
                + "counts as worse only if even the best new run is worse than the worst old run "
                + "by more than `--gate` allows. A noisy result can be saved, but each comparison "
                + "with it prints a warning, because the noise may hide a small regression. A "
                + "single run is not enough to compare times."),
        .paragraph(
            "Results of different machines, kernels, file systems, builds or settings are "
                + "compared only with `--allow-different-machine`. Exit status 1 means that at "
                + "least one figure is worse."),
    ]

    private static let peer: [ManualBlock] = [
        .paragraph(
            "`--against sqlite3` runs the same operations on SQLite, with the same objects in the "
                + "same order. Its settings are printed: write-ahead logging, and a sync for each "
                + "commit unless `--durability` is `unsafe`. SQLite copies the objects from "
                + "another SQLite database, and the operations of one commit are one SQL "
                + "statement, so that no time is spent parsing statements. An application that "
                + "sends statements one by one is slower than these figures. Latencies of single "
                + "operations are not measured. A question mark after a ratio means that the runs "
                + "of one of the programs are too noisy to compare."),
        .paragraph(
            "A Realm database stores the incoming links of every object. SQLite finds them only "
                + "through an index on the link columns. `--against sqlite3-inverse` adds these "
                + "indexes, so that both can answer the same queries and both write the same "
                + "data."),
    ]

    private static let outputForms: [ManualBlock] = [
        .definitions([
            ("`text`", "A table for people. Its layout may change."),
            (
                "`json`",
                "One object with the build, the machine and the options in force. `results` has "
                    + "one object per workload with all its runs. Times are in nanoseconds. "
                    + "`engine.id` is the beginning of the build identity in the program file, as "
                    + "in the first line of the text. Results with the same `engine.id` come from "
                    + "the same build."
            ),
            ("`csv`", "A header, then one line per workload with the same numbers."),
        ]),
        .paragraph(
            "With `--scaling`, the object of `json` has `scaling` instead of `results`: one object "
                + "per workload with `cpuExponent`, `fileExponent` and `sizes`. `sizes` has, for "
                + "each size, the figures and the exponents of the growth from the next smaller "
                + "size. `csv` has one line per workload and size."),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done; no figure is worse."),
            (
                "1",
                "A figure is worse by more than the gate allows, or a cost grows with a larger "
                    + "exponent than `--fail-above` allows."
            ),
            (
                "2",
                "A bad option, an unknown workload, results that cannot be compared, or saving a "
                    + "result of a debug build."
            ),
            (
                "3",
                "FILE is missing, cannot be read or is not a Realm file; a saved result is "
                    + "invalid; `sqlite3` cannot be run."
            ),
            ("4", "FILE is damaged or truncated."),
            ("5", "The key of FILE is missing, wrong or malformed, or FILE is not encrypted."),
            (
                "6",
                "This version cannot read the format of FILE, or does not support `--durability "
                    + "memory`."
            ),
            ("7", "Other processes kept changing FILE during the measurement."),
            ("9", "The report could not be written."),
            ("10", "A bug: please report it."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example("Run every workload that reads on one file:", ["realm-bench --file mail.realm"]),
        .example(
            "Read sequentially only, ten runs, as JSON:",
            ["realm-bench --file mail.realm -r 10 --json readseq"]),
        .example(
            "Measure commits on another disk:",
            ["realm-bench --dir /mnt/data -N 20000 fillbatch fillsync churn"]),
        .example(
            "Measure two queries side by side:",
            [
                "realm-bench --file mail.realm --query 'Email:read == false' \\",
                "    --query 'Email:size > 100000 SORT(size DESC) LIMIT(20)'",
            ]),
        .example(
            "Compare two commits of a program's source, in CI:",
            [
                "realm-bench --save main.json",
                "realm-bench --baseline main.json --gate ops=5%,p99=10%,size=2%",
            ]),
        .example(
            "Check in CI that no cost grows faster than the number of objects:",
            ["realm-bench --scaling -N 50000 --fail-above 1.15"]),
        .example(
            "Measure one workload at five sizes:",
            ["realm-bench --scaling=5 -N 10000 delete-linked"]),
        .example(
            "Check whether 20000 reads per second are answered in time:",
            ["realm-bench --rate 20000 --late-after 1ms --histogram readrandom"]),
        .example(
            "Measure the cost of readers that hold old versions:",
            ["realm-bench pinned-growth --pin 3"]),
        .example(
            "Print the median throughput of each workload:",
            [
                "realm-bench --file mail.realm --json |",
                "    jq -r '.results[] | \"\\(.workload) \\(.ops)\"'",
            ]),
    ]
}
