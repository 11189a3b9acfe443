extension BenchTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-bench` measures how fast this library reads and writes: a database you have, "
                + "or generated ones, which can be written to as well. It runs each WORKLOAD "
                + "several times and reports the median of the runs, the spread between "
                + "them, and how long single operations took."),
        .paragraph(
            "A FILE is read through the page cache, never changed, and nothing is created "
                + "beside it. Measure with a release build: a debug build says so, and its numbers "
                + "mean nothing."),
        .definitions([
            (
                "`open`",
                "Open the file, read its schema, count the objects of every class and close it."
            ),
            (
                "`readseq`",
                "Read every property of every object, in the order of their keys. Objects are "
                    + "timed in groups of up to 256, of which each gets its share."
            ),
            ("`readrandom`", "Look up objects at random by key and read every property."),
            (
                "`export`",
                "Write every object as NDJSON, as `realm-query --all` would, to a sink that "
                    + "discards it. Single objects are not timed."
            ),
        ]),
        .paragraph(
            "Without `--file` there are also these queries about generated people; one operation "
                + "is the whole query, parsing and planning included:"),
        .definitions(definitions { !$0.plan.writes && $0.needsPeople }),
        .paragraph("And these, each on a new file in every run:"),
        .definitions(definitions(where: \.plan.writes)),
        .paragraph(
            "Every workload checks its own result: the objects read are as many as there are, what "
                + "was written is read back, and all runs find the same. If not, the exit status "
                + "is 10."
        ),
    ]

    private static func definitions(
        where isWanted: (WorkloadKind) -> Bool
    ) -> [(String, String)] {
        WorkloadKind.allCases.filter(isWanted).map { kind in
            let summary = kind.summary
            return (
                "`\(kind.rawValue)`", summary.prefix(1).uppercased() + summary.dropFirst() + "."
            )
        }
    }

    static let sections: [ManualSection] = [
        ManualSection("FIGURES", figures),
        ManualSection("OUTPUT FORMS", outputForms),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        ManualSection("SEE ALSO", [.paragraph("`realm-query(1)`, `realm-tools(7)`")]),
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
                    + "not slower. Off by less than 0.1%; the maximum is exact."
            ),
            ("OPS, TIME", "Operations of one run and how long it took."),
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
                "MINOR, MAJOR",
                "Page faults of one run: answered from memory, and those that waited for a disk."
            ),
            (
                "COMMITS, FSYNC, P50, P99",
                "Commits and syncs of one run, and how long a commit waited for its syncs."
            ),
            (
                "WRITTEN, W-AMP",
                "Bytes written to the file in one run, and how many that is for each byte of the "
                    + "values that changed."
            ),
            ("FILE", "Size of the file at the end."),
        ]),
        .paragraph(
            "When the quartiles of the runs lie more than 10% apart a warning says that they are "
                + "too noisy to compare. A debug build, a file in memory and a busy machine are "
                + "warned of as well."),
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
            ("7", "Others kept changing FILE while it was measured."),
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
            "What commits cost on another disk:",
            ["realm-bench --dir /mnt/data -N 20000 fillbatch fillsync churn"]),
        .example(
            "Two queries side by side:",
            [
                "realm-bench --file mail.realm --query 'Email:read == false' \\",
                "    --query 'Email:size > 100000 SORT(size DESC) LIMIT(20)'",
            ]),
        .example(
            "The median throughput of each workload:",
            [
                "realm-bench --file mail.realm --json |",
                "    jq -r '.results[] | \"\\(.workload) \\(.ops)\"'",
            ]),
    ]
}
