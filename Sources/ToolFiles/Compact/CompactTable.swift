import ToolKit

/// `realm-compact` as data.
package enum CompactTable {
    package static let table = CommandTable(
        name: "realm-compact",
        summary: "compact, check and rescue Realm databases",
        synopsis: [
            SynopsisLine("[options] FILE", "compact in place"),
            SynopsisLine("[options] -o OUT FILE", "write a compacted copy"),
            SynopsisLine("--check [options] FILE...", "verify, change nothing"),
            SynopsisLine("--analyze [options] FILE", "show where the bytes are"),
            SynopsisLine("-n [options] FILE", "estimate, change nothing"),
            SynopsisLine("--salvage [options] -o OUT FILE", "copy what can be read"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true, isRepeatable: true,
                "The database. Several, or `-` for standard input, only with `--check`.")
        ],
        options: actions + compaction + records + output + access + general,
        manual: { CommandTable.Manual(description: description, sections: sections) })

    private static let actions: [OptionSpec] = [
        OptionSpec(
            "check", nil, .optional("LEVEL", .choice(["quick", "full"])), in: .action,
            "verify: full, or quick",
            "Verify each FILE and change nothing. `quick` looks at the header, at reachability and "
                + "at free space; `full`, which is meant without LEVEL, also at every value, link "
                + "and index entry. Errors end with exit status 4.",
            excludes: ["analyze", "dry-run", "salvage"]),
        OptionSpec(
            "strict", nil, in: .action, "with --check: warnings count too",
            "With `--check`: warnings, such as leaked space, end with exit status 1.",
            requires: "check"),
        OptionSpec(
            "analyze", nil, in: .action, "show where the bytes are",
            "List how many bytes each property, index and the rest of the file take.",
            excludes: ["dry-run", "salvage"]),
        OptionSpec(
            "top", nil, .required("N", .count(0...10_000)), in: .action,
            "with --analyze: the N largest values",
            "With `--analyze`: list also the N largest values.", requires: "analyze"),
        OptionSpec(
            "salvage", nil, in: .action, "copy every object that can be read",
            "Copy every object that can be read into a new file, which `-o` names. What is lost is "
                + "listed on standard output, one JSON object a line; if there is any, or FILE has "
                + "errors that may hide some, the exit status is 4.",
            excludes: ["dry-run"], requires: "output"),
        OptionSpec(
            "dry-run", "n", in: .action, "estimate and report, change nothing",
            "Tell how large the file would become and whether it could be compacted in place now. "
                + "Nothing is changed."),
    ]

    private static let compaction: [OptionSpec] = [
        OptionSpec(
            "if-free", nil, .required("SPEC", .text), in: .compaction,
            "only if this much can be reclaimed",
            "Compact only if at least SPEC can be reclaimed: a share of the file, `30%`, or a "
                + "size, `100MiB`. Otherwise nothing is done and the exit status is 0.",
            excludes: ["check", "analyze", "salvage"]),
        OptionSpec(
            "backup", nil, .optional("SUFFIX", .text), in: .compaction,
            "keep the old file under another name",
            "Keep the old file as FILE with SUFFIX behind it. A hard link does that where there "
                + "are any, otherwise a copy.",
            defaultText: "`.bak` for a missing SUFFIX", excludes: ["output", "check", "analyze"]),
        OptionSpec(
            "verify", nil, in: .compaction, "compare the result with the original",
            "Read the result and compare it with the original, node by node, before it gets its "
                + "name; with `--enumerate` compare the digest of every class. This is the default."
        ),
        OptionSpec(
            "no-verify", nil, in: .compaction, "do not compare",
            "Do not compare the result with the original.", excludes: ["verify"]),
        OptionSpec(
            "drop-history", nil, in: .compaction, "leave the change log out",
            "Leave the change log out. It matters only to programs that have the file open."),
        OptionSpec(
            "enumerate", nil, .required("WHICH", .text), in: .compaction,
            "store repeated strings once",
            "Store each distinct value of a string property once, and in its objects the number of "
                + "one. WHICH is a percentage: properties whose distinct values are less than that "
                + "of all, where it makes them smaller; `auto`: all that become smaller; or the "
                + "properties themselves, `CLASS.PROP,CLASS.PROP`. Queries, SORT and DISTINCT are "
                + "faster on such properties; `--analyze` says what each would save. Primary keys "
                + "are left alone."),
        OptionSpec(
            "at", nil, .required("VERSION", .text), in: .compaction,
            "start from an older version, or previous",
            "Start from another version than the newest: its number, or `previous` for the one "
                + "the header names beside the newest. It is verified first. Needs `-o`, or a "
                + "report.",
            excludes: ["backup"]),
        OptionSpec(
            "new-encryption-key-file", nil, .required("FILE", .file), in: .compaction,
            "encrypt the result with this key",
            "Encrypt the result with the key in FILE, also where the original has another key or "
                + "none. Without this and `--decrypt` the result has the key of the original. In place "
                + "of a plain file the old bytes stay on the disk until it uses them again."),
        OptionSpec(
            "decrypt", nil, in: .compaction, "write the result without encryption",
            "Write the result without encryption; the original is read with `-K`.",
            excludes: ["new-encryption-key-file"]),
        OptionSpec(
            "to-format", nil, .required("N", .count(1...99)), in: .compaction,
            "write file format N",
            "Write file format N. This version writes the format it finds and ends with exit "
                + "status 6 when another is asked for."),
    ]

    private static let records: [OptionSpec] = SharedOptions.formats(
        ["text", "json", "ndjson"],
        auto: "It is about reports; `auto` is `text`. With `ndjson` each finding of a check is a "
            + "line of its own.")

    private static let output: [OptionSpec] = [
        OptionSpec(
            "output", "o", .required("FILE", .file), in: .output,
            "write the copy, or the report, to FILE",
            "Write the compacted copy to FILE; with `--check`, `--analyze` and `-n`, the report. "
                + "FILE appears complete or not at all: the data goes to a temporary file in the "
                + "same directory, which is synced and then renamed."),
        OptionSpec(
            "force", in: .output, "replace files, compact hard-linked ones",
            "Allow an existing output or backup file to be replaced, and a file with several "
                + "names (hard links) to be compacted in place; the other names keep the old file."
        ),
    ]

    private static let access: [OptionSpec] = [
        SharedOptions.key, SharedOptions.access, wait, SharedOptions.threads, maxMemory,
    ]

    private static let wait = OptionSpec(
        "wait", nil, .optional("DUR", .duration), in: .access,
        "wait for others to close FILE, at most DUR",
        "Wait until nobody else has FILE open, at most DUR; without DUR, for as long as it takes. "
            + "Where a copy is written or a report made, wait for locks as the other tools do. "
            + "When the time is up the exit status is 7.",
        defaultText: "not for others to close FILE; a second for locks")

    private static let maxMemory = OptionSpec(
        "max-memory", nil, .required("SIZE", .size), in: .access,
        "cap on private memory",
        "Keep private memory below SIZE, or 8 MiB if that is more, while a database is compacted "
            + "or copied. `--check` and `--salvage` take what the number of objects and links "
            + "demands. Pages of the mapped file do not count: the system takes them back whenever "
            + "it needs to.",
        defaultText: "64MiB")

    private static let general: [OptionSpec] = SharedOptions.general + [SharedOptions.progress]
}
