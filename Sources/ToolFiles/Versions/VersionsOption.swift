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
        auto: "`auto` is `text`, and `ndjson` with `--watch`. `table` is the same as `--list`. "
            + "With several files `json` is one array, and `ndjson` one line for each file.")
}

/// Options for facts.
extension VersionsOption {
    static let facts: [any OptionDeclaration] = [
        get, expect, openers, noOpeners, slots, growth, history, list, watch,
    ]

    static let get = Option(
        "get", "g", each: OptionArgument<FactKey>.required("KEY", .choice), in: .facts,
        "print one fact; repeatable",
        "Print the fact called KEY and nothing else, one line for each `-g`. A fact that is not "
            + "known is an empty line, and the exit status is 1. See KEYS.",
        excludes: [slots, history, list, growth, watch])

    static let expect = Option(
        "expect", "E", each: .required("EXPR", .expectation), in: .facts,
        "exit with 1 unless EXPR holds; repeatable",
        "Check a fact: EXPR is a key, one of `=` `!=` `<` `<=` `>` `>=`, and a value, such as "
            + "`format<=24` or `bytes<100MiB`. All are checked; each that does not hold is "
            + "named on standard error, and the exit status is 1. No report is printed, unless "
            + "another option asks for one.", excludes: [watch])

    static let openers = Option(
        "openers", in: .facts, "list the processes that have the file open",
        "List the processes that have the file open. This is the default.",
        excludes: [noOpeners])

    static let noOpeners = Option(
        "no-openers", in: .facts, "do not look for processes",
        "Do not look for the processes that have the file open. Saves some time on a machine "
            + "with many of them.")

    static let slots = Option(
        "slots", in: .facts, "verify both roots the header names",
        "Add both slots of the header, each verified down to the structure of its tables. The "
            + "slot that is not selected usually leads to the version before the newest.")

    static let growth = Option(
        "growth", in: .facts, "what each old version costs",
        "Add what each old version costs: the bytes later commits freed that cannot be used "
            + "again because of it, and the size the file would have without it.")

    static let history = Option(
        "history", nil, .optional("N", .count(1...Int.max), bare: .max), in: .facts,
        "the change log, newest N entries",
        "Print the entries of the change log as NDJSON, oldest first; with N, the newest N.",
        excludes: [slots, growth, list, watch, spaceMap, format, SharedOptions.json])

    static let list = Option(
        "list", in: .facts, "one row for each file",
        "Print one row for each file.", excludes: [slots, growth, watch])

    static let watch = Option(
        "watch", "w", .optional("DUR", .duration, bare: .seconds(1)), in: .facts,
        "repeat every DUR, as NDJSON",
        "Print the report as one line of JSON, again and again, every DUR. Processes that came "
            + "after a version had been superseded are no longer named as those that could hold "
            + "it. Ends by a signal.",
        defaultText: "every second", excludes: [slots, growth, spaceMap])
}

/// Options for pictures.
extension VersionsOption {
    static let pictures: [any OptionDeclaration] = [
        spaceMap, plot,
    ]

    static let spaceMap: Option<String?> = Option(
        "space-map", nil, .required("FILE", .file), in: .pictures,
        "draw who uses which part of the file",
        "Write a picture (SVG) of the file, in file order: what each class takes, what is free, "
            + "and what each old version keeps from being used. Instead of a report, unless "
            + "another option asks for one. Reads the whole file.",
        excludes: [list], aliases: ["map"])

    static let plot = Option(
        "plot", nil, .required("FILE", .file), in: .pictures,
        "draw sizes against time while watching",
        "With `--watch`: write a picture (SVG) of the sizes against time, anew with every line. "
            + "Without it: draw the lines of an earlier `--watch`, read from standard input.",
        excludes: [spaceMap, list, get, history, slots, growth])
}
