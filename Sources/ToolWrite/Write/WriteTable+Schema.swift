import ToolKit

extension WriteTable {
    static let schema: [OptionSpec] = [
        OptionSpec(
            "create", nil, in: .schema, "make FILE, which must not exist",
            "Make the database. FILE must not exist; with `--force` it is replaced, in one step "
                + "at the end."),
        OptionSpec(
            "new-encryption-key-file", nil, .required("FILE", .file), in: .schema,
            "encrypt what --create makes with this key",
            "With `--create`: encrypt the database with the key in FILE, which stays what opens it. "
                + "See KEY FILES in `realm-tools(7)`."),
        OptionSpec(
            "schema-file", nil, .required("SCHEMA", .file), in: .schema,
            "bring the schema in line with SCHEMA",
            "Add the classes, properties and indexes of a JSON schema, as `realm-query --schema "
                + "--json` prints it. What the file has and SCHEMA does not is left alone. A "
                + "property of another type is an error."),
        OptionSpec(
            "schema-version", nil, .required("N", .count(0...Int.max)), in: .schema,
            "set the schema version",
            "Set the schema version to N. A lower one than before needs `--force`."),
        OptionSpec(
            "infer", nil, .optional("N", .count(1...Int.max)), in: .schema,
            "derive missing classes and properties",
            "Derive the classes and properties that are missing from the whole input, or from its "
                + "first N records, print them on standard error, with `--json` as a schema file on "
                + "standard output, and use them. Texts that are all RFC 3339 times make dates, "
                + "objects embedded classes, values that do not agree mixed ones; what some record "
                + "lacks is optional. `_id` becomes the primary key of a new class if every record "
                + "has one. Standard input is kept in a file without a name meanwhile."),
        OptionSpec(
            "rename", nil, .required("CLASS[.PROP]=NEW", .text), in: .schema,
            "rename a class or property", "Give a class or property another name.",
            isRepeatable: true),
        OptionSpec(
            "drop", nil, .required("CLASS[.PROP]", .text), in: .schema,
            "remove a class or property",
            "Remove a class with its objects, or a property with its values. If that loses data, "
                + "it needs `--force`.",
            isRepeatable: true),
        OptionSpec(
            "index", nil, .required("CLASS.PROP", .text), in: .schema, "add an index",
            "Add a search index to a property.", isRepeatable: true),
        OptionSpec(
            "unindex", nil, .required("CLASS.PROP", .text), in: .schema, "remove an index",
            "Remove the search index of a property.", isRepeatable: true),
        OptionSpec(
            "optional", nil, .required("CLASS.PROP", .text), in: .schema,
            "let a property be null", "Let a property be null.", isRepeatable: true),
        OptionSpec(
            "required", nil, .required("CLASS.PROP", .text), in: .schema,
            "let a property not be null",
            "Let a property not be null. Nulls become zero, false or empty, which needs "
                + "`--force` if there are any.",
            isRepeatable: true),
    ]

    static let records: [OptionSpec] = SharedOptions.formats(
        ["text", "json"],
        auto: "It is about summaries and plans: `text` goes to standard error, or to standard "
            + "output where `-n` asked for it, `json` to standard output.")

    static let output: [OptionSpec] = [
        SharedOptions.output[0],
        OptionSpec(
            "force", in: .output, "allow what loses data, or replaces a file",
            "Allow what loses data: dropping what is not empty, nulls that become zero, a lower "
                + "schema version, replacing an existing database or output file; and writing to a "
                + "file with several hard links, whose other names nobody must be using."),
        OptionSpec(
            "dry-run", "n", in: .output, "check and report, change nothing",
            "Check everything and report what would be done. Nothing is written and no lock is "
                + "held; what takes more than `--max-memory` goes to a file without a name in "
                + "`TMPDIR`."),
    ]

    static let access: [OptionSpec] = [
        SharedOptions.key, wait, threads, SharedOptions.maxMemory,
    ]

    private static let wait = OptionSpec(
        "wait", nil, .optional("DUR", .duration), in: .access,
        "wait for other writers, at most DUR",
        "Wait for the turn to write, and for the locks of the session, at most DUR; without DUR, "
            + "for as long as it takes. When the time is up the exit status is 7.",
        defaultText: "one second")

    private static let threads = OptionSpec(
        "threads", "j", .required("N", .count(0...1024)), in: .access,
        "threads, 0 = one per processor",
        "Read and convert records on N threads; 0 means one per processor. NDJSON is read by all of "
            + "them, other formats by one. Changes are made by one more thread in the order of the "
            + "input, so that the result never depends on it; with 1 a single thread does all.",
        defaultText: "0")

    static let general: [OptionSpec] = SharedOptions.general + [SharedOptions.progress]
}
