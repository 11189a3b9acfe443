import ToolKit

/// The options of `realm-versions`.
enum VersionsOption {
    static let table: [any OptionDeclaration] =
        facts + pictures + [
            format, SharedOptions.json, SharedOptions.output, SharedOptions.force,
            SharedOptions.key, SharedOptions.access, SharedOptions.wait,
        ] + SharedOptions.general

    private static let format = SharedOptions.formats(
        [.text, .table, .json, .ndjson],
        auto:
            "`auto` is `ndjson` with `--watch`, and `text` without. `table` is the same as "
            + "`--list`. With several files, `json` is one array and `ndjson` has one line per "
            + "file.")
}

/// Options that print or check facts about a file.
extension VersionsOption {
    static let facts: [any OptionDeclaration] = [
        get, expect, openers, noOpeners, slots, growth, history, list, watch,
    ]

    static let get = Option(
        "get", "g", each: OptionArgument<FactKey>.required("KEY", .choice), in: .facts,
        "print one fact; repeatable",
        "Print only the fact KEY, one line for each `-g`. If a fact is unknown, its line is empty, "
            + "and the exit status is 1. See KEYS.",
        excludes: [slots, history, list, growth, watch])

    static let expect = Option(
        "expect", "E", each: .required("EXPR", .expectation), in: .facts,
        "exit with 1 unless EXPR holds; repeatable",
        "Check a fact. EXPR is a key, one of `=` `!=` `<` `<=` `>` `>=`, and a value, such as "
            + "`format<=24` or `bytes<100MiB`. The option may be repeated. Standard error names "
            + "each expectation that fails, and the exit status is then 1. See KEYS. No report is "
            + "printed unless another option requests one.", excludes: [watch])

    static let openers = Option(
        "openers", in: .facts, "list the processes that have the file open",
        "List the processes that have the file open. This is the default.",
        excludes: [noOpeners])

    static let noOpeners = Option(
        "no-openers", in: .facts, "do not look for processes",
        "Do not look for the processes that have the file open. This saves time on a machine with "
            + "many processes.")

    static let slots = Option(
        "slots", in: .facts, "verify both slots of the header",
        "Add both slots of the file header to the report, and verify the version in each, as "
            + "`realm-compact --check=quick` does. One slot is selected and refers to the newest "
            + "version; the other usually refers to the previous version.")

    static let growth = Option(
        "growth", in: .facts, "cost of each old version",
        "Add the cost of each old version to the report: the bytes that cannot be reused because "
            + "the version is open, although later commits freed them, and the size that the file "
            + "would have if the version were not open.")

    static let history = Option(
        "history", nil, .optional("N", .count(1...Int.max), bare: .max), in: .facts,
        "the change log, newest N entries",
        "Print the entries of the change log as NDJSON, oldest first. With N, print only the "
            + "newest N entries.",
        excludes: [slots, growth, list, watch, spaceMap, format, SharedOptions.json])

    static let list = Option(
        "list", in: .facts, "one row for each file",
        "Print a table with one row for each file.", excludes: [slots, growth, watch])

    static let watch = Option(
        "watch", "w", .optional("DUR", .duration, bare: .seconds(1)), in: .facts,
        "repeat every DUR, as NDJSON",
        "Print the report as one line of JSON every DUR, until a signal ends the tool. A process "
            + "that was started after a version had been replaced by a newer one cannot hold the "
            + "old version, and is not listed as its holder.",
        defaultText: "every second", excludes: [slots, growth, spaceMap])
}

/// Options that write pictures: maps of a file's space, and charts.
extension VersionsOption {
    static let pictures: [any OptionDeclaration] = [
        spaceMap, plot,
    ]

    static let spaceMap: Option<String?> = Option(
        "space-map", nil, .required("FILE", .file), in: .pictures,
        "draw the use of each part of the file",
        "Write a picture (SVG) of the file, in file order. It shows the space of each class, the "
            + "free space, and the space that cannot be reused because an old version is open. The "
            + "picture replaces the report unless another option requests one. The tool reads the "
            + "whole file.",
        excludes: [list], aliases: ["map"])

    static let plot = Option(
        "plot", nil, .required("FILE", .file), in: .pictures,
        "draw sizes over time while watching",
        "With `--watch`: write a picture (SVG) of the sizes over time, and update it with every "
            + "line. Without `--watch`: draw the lines that an earlier `--watch` printed, read "
            + "from standard input.",
        excludes: [spaceMap, list, get, history, slots, growth])
}
