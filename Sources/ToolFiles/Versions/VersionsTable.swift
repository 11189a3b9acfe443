import ToolKit

/// `realm-versions` as data.
package enum VersionsTable {
    package static let table = CommandTable(
        name: "realm-versions",
        summary: "what a Realm file is, and who keeps it large",
        synopsis: [
            SynopsisLine("[options] FILE...", "report about each file"),
            SynopsisLine("--get KEY [options] FILE...", "single facts"),
            SynopsisLine("--expect EXPR [options] FILE...", "check facts"),
            SynopsisLine("--watch [options] FILE...", "one line of JSON each second"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true, isRepeatable: true,
                "A database. With `--plot` and without `--watch` it is `-`: the lines of an earlier "
                    + "`--watch` are read from standard input.")
        ],
        options: facts + pictures + records + SharedOptions.output + access
            + SharedOptions.general,
        manual: { CommandTable.Manual(description: description, sections: sections) })

    private static let facts: [OptionSpec] = [
        OptionSpec(
            "get", "g", .required("KEY", .choice(FactKey.names)), in: .facts,
            "print one fact; repeatable",
            "Print the fact called KEY and nothing else, one line for each `-g`. A fact that is not "
                + "known is an empty line, and the exit status is 1. See KEYS.",
            isRepeatable: true, excludes: ["slots", "history", "list", "growth", "watch"]),
        OptionSpec(
            "expect", "E", .required("EXPR", .text), in: .facts,
            "exit with 1 unless EXPR holds; repeatable",
            "Check a fact: EXPR is a key, one of `=` `!=` `<` `<=` `>` `>=`, and a value, such as "
                + "`format<=24` or `bytes<100MiB`. All are checked; each that does not hold is "
                + "named on standard error, and the exit status is 1. No report is printed, unless "
                + "another option asks for one.",
            isRepeatable: true, excludes: ["watch"]),
        OptionSpec(
            "openers", nil, in: .facts, "list the processes that have the file open",
            "List the processes that have the file open. This is the default.",
            excludes: ["no-openers"]),
        OptionSpec(
            "no-openers", nil, in: .facts, "do not look for processes",
            "Do not look for the processes that have the file open. Saves some time on a machine "
                + "with many of them."),
        OptionSpec(
            "slots", nil, in: .facts, "verify both roots the header names",
            "Add both slots of the header, each verified down to the structure of its tables. The "
                + "slot that is not selected usually leads to the version before the newest."),
        OptionSpec(
            "growth", nil, in: .facts, "what each old version costs",
            "Add what each old version costs: the bytes later commits freed that cannot be used "
                + "again because of it, and the size the file would have without it."),
        OptionSpec(
            "history", nil, .optional("N", .count(1...Int.max)), in: .facts,
            "the change log, newest N entries",
            "Print the entries of the change log as NDJSON, oldest first; with N, the newest N.",
            excludes: ["slots", "growth", "list", "watch", "map", "format", "json"]),
        OptionSpec(
            "list", nil, in: .facts, "one row for each file",
            "Print one row for each file.", excludes: ["slots", "growth", "watch"]),
        OptionSpec(
            "watch", "w", .optional("DUR", .duration), in: .facts,
            "repeat every DUR, as NDJSON",
            "Print the report as one line of JSON, again and again, every DUR. Processes that came "
                + "after a version had been superseded are no longer named as those that could hold "
                + "it. Ends by a signal.",
            defaultText: "every second", excludes: ["slots", "growth", "map"]),
    ]

    private static let pictures: [OptionSpec] = [
        OptionSpec(
            "map", nil, .required("FILE", .file), in: .pictures,
            "draw who uses which part of the file",
            "Write a picture (SVG) of the file, in file order: what each class takes, what is free, "
                + "and what each old version keeps from being used. Instead of a report, unless "
                + "another option asks for one. Reads the whole file.",
            excludes: ["list"]),
        OptionSpec(
            "plot", nil, .required("FILE", .file), in: .pictures,
            "draw sizes against time while watching",
            "With `--watch`: write a picture (SVG) of the sizes against time, anew with every line. "
                + "Without it: draw the lines of an earlier `--watch`, read from standard input.",
            excludes: ["map", "list", "get", "history", "slots", "growth"]),
    ]

    private static let records: [OptionSpec] = SharedOptions.formats(
        ["text", "table", "json", "ndjson"],
        auto: "`auto` is `text`, and `ndjson` with `--watch`. `table` is the same as `--list`. "
            + "With several files `json` is one array, and `ndjson` one line for each file.")

    private static let access: [OptionSpec] = [
        SharedOptions.key, SharedOptions.access, SharedOptions.wait,
    ]
}
