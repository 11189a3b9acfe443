import ToolKit

/// `realm-query` as data.
package enum QueryTable {
    package static let table = CommandTable(
        name: "realm-query",
        summary: "read a Realm database, change nothing",
        synopsis: [
            SynopsisLine("[options] FILE", "list the classes"),
            SynopsisLine("[options] FILE CLASS [PREDICATE]", "the objects of a class"),
            SynopsisLine("[options] --all FILE", "every object of every class"),
            SynopsisLine("[options] --diff OTHER FILE [CLASS [PREDICATE]]", "what differs"),
            SynopsisLine("[options] --watch FILE [CLASS [PREDICATE]]", "changes as they come"),
            SynopsisLine("[options] --batch FILE [CLASS]", "queries from standard input"),
            SynopsisLine("[options] --schema FILE [CLASS]", "the schema"),
            SynopsisLine("[options] --digest FILE [CLASS]", "digests of the content"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true,
                "The database. `-` reads it from standard input, into a temporary file without a "
                    + "name in `TMPDIR`."),
            OperandSpec(
                "CLASS", .text,
                "The class whose objects are wanted, as the list of classes names it."),
            OperandSpec(
                "PREDICATE", .text,
                "Which objects are wanted, in the query language described under `QUERIES`."),
        ],
        options: selection + changes + fields + values + records + output + access + general,
        manual: { CommandTable.Manual(description: description, sections: sections) })

    private static let selection: [OptionSpec] = [
        OptionSpec(
            "sort", "s", .required("LIST", .text), in: .selection,
            "order by these key paths, -PATH descending",
            "Order the objects by the key paths in LIST, which are separated by commas; `-PATH` is "
                + "descending. The same as SORT at the end of the predicate."),
        OptionSpec(
            "distinct", nil, .required("LIST", .text), in: .selection,
            "the first object of each combination",
            "Keep only the first object of each combination of values of the key paths in LIST. The "
                + "same as DISTINCT at the end of the predicate, after `--sort`."),
        OptionSpec(
            "arg", nil, .required("TEXT", .text), in: .selection, "bind $0, $1 ... to a text",
            "Bind the next of `$0`, `$1` and so on in the predicate to TEXT, read as a value of the "
                + "type it is compared with. No quoting is needed and none is possible: this is "
                + "how a script passes text it did not write.",
            isRepeatable: true),
        OptionSpec(
            "argjson", nil, .required("JSON", .text), in: .selection,
            "bind $0, $1 ... to a JSON value",
            "As `--arg`, with a JSON value: a number, a string, `true`, `false`, `null`, an array of "
                + "those, or the extended form of another type.",
            isRepeatable: true),
        OptionSpec(
            "query-file", "Q", .required("FILE", .file), in: .selection,
            "read the predicate from a file",
            "Read the predicate from FILE, `-` for standard input."),
        OptionSpec(
            "aggregate", nil, .required("LIST", .text), in: .selection,
            "count, sum(P), avg(P), min(P), max(P)",
            "Print one record with the aggregates in LIST, separated by commas: `count`, `sum(P)`, "
                + "`avg(P)`, `min(P)` and `max(P)` of property P, which has single values. Nulls do "
                + "not count. One pass computes all.",
            excludes: ["all", "schema", "digest"]),
        OptionSpec(
            "batch", nil, in: .selection, "answer queries from standard input",
            "Read one JSON object per line from standard input, such as "
                + "`{\"id\":1,\"class\":\"Email\",\"where\":\"_id == $0\",\"args\":[\"65e5...\"]}`, and answer "
                + "each with one line: `{\"id\":1,\"count\":1,\"objects\":[...]}`, or with an `error`. A "
                + "request without `class` is about CLASS, one without `where` about all objects. "
                + "`--fields` and its like hold for every answer; with "
                + "`--count` the objects are left out. Exit status 8 says that some request could "
                + "not be answered.",
            excludes: ["all", "schema", "digest", "aggregate", "output-dir"]),
        OptionSpec(
            "explain", nil, in: .selection, "say how the query is run",
            "Say on standard error how the query is run: which index finds candidates and in what "
                + "order conditions are tested."),
        OptionSpec(
            "limit", "L", .required("N", .count(0...Int.max)), in: .selection,
            "stop after N objects", "Stop after N objects.", defaultText: "no limit"),
        OptionSpec(
            "offset", nil, .required("N", .count(0...Int.max)), in: .selection,
            "skip the first N objects", "Skip the first N objects. `--limit` counts what follows.",
            defaultText: "0"),
        OptionSpec(
            "all", "a", in: .selection, "every object of every class",
            "Read every object of every class, class by class in the order of their names. In "
                + "`json` and `ndjson` each object begins with the member `$class`. Objects of a "
                + "class without a primary key have the member `_key`, which is what links to them "
                + "name. Embedded objects are printed inside the objects that hold them.",
            excludes: ["schema", "digest"]),
        OptionSpec(
            "count", "c", in: .selection, "print only the number of objects",
            "Print only the number of objects.", excludes: ["schema", "digest"]),
        OptionSpec(
            "exit-status", "e", in: .selection, "exit with 1 if nothing matched",
            "Exit with status 1 if there was no object to print. The output is the same as "
                + "without the option."),
        OptionSpec(
            "schema", "S", in: .selection, "print the schema",
            "Print the schema, of all classes or of CLASS: as text, or as JSON with `--json`. The "
                + "order never changes: classes by name, properties in the order of their "
                + "columns. In the text `*` marks the primary key, `?` a value that may be null.",
            excludes: ["digest"]),
        OptionSpec(
            "digest", nil, in: .selection, "print digests of the content",
            "Print one digest for each class and one for the whole. They depend on the content "
                + "alone, so they are equal before and after compaction, a change of key or a "
                + "conversion to another format. See DIGESTS."),
        OptionSpec(
            "internal", nil, in: .selection, "include the tables Realm keeps for itself",
            "Include the tables that Realm keeps for itself, such as `metadata`."),
    ]

    private static let changes: [OptionSpec] = [
        OptionSpec(
            "at", nil, .required("VERSION", .text), in: .changes,
            "read an older version, or previous",
            "Read VERSION instead of the newest one: a version that some program still keeps, or "
                + "`previous` for the one before the newest, which the file's header still knows "
                + "and which is checked before it is read."),
        OptionSpec(
            "diff", "d", .required("OTHER", .text), in: .changes,
            "what turns FILE into OTHER",
            "Print the changes that turn FILE into OTHER, one change record a line. OTHER is another "
                + "file, or `@VERSION`, `@previous` or `@latest` of the same one. Exit status 1 says "
                + "that something differs. With `--quiet` nothing is printed, with `--count` only "
                + "the numbers of inserts, updates and deletes in each class. See CHANGE RECORDS.",
            excludes: ["watch"]),
        OptionSpec(
            "watch", "w", in: .changes, "print changes as they are committed",
            "Print a change record for everything that programs commit, as soon as they do, until "
                + "interrupted. With CLASS and PREDICATE only for objects that match: one that "
                + "begins to match is inserted, one that ceases to match is deleted. See CHANGE "
                + "RECORDS."),
        OptionSpec(
            "initial", nil, in: .changes, "begin a watch with what is there",
            "Begin with an insert for every object that is there already.", excludes: ["since"],
            requires: "watch"),
        OptionSpec(
            "since", nil, .required("VERSION", .count(1...Int.max)), in: .changes,
            "begin with the changes since VERSION",
            "Begin with the changes since VERSION, as long as it can still be read: to resume a "
                + "watch. Without `--watch` print those changes and end, as `--diff` does."),
        OptionSpec(
            "heartbeat", nil, .required("DUR", .duration), in: .changes,
            "a line now and then in an idle watch",
            "Print a record with the op `heartbeat` whenever a watch has been silent for DUR.",
            requires: "watch"),
        OptionSpec(
            "before", nil, in: .changes, "add the values before a change",
            "Add the member `before` with the values before the change to updates and deletes."),
    ]

    private static let fields: [OptionSpec] = [
        OptionSpec(
            "fields", "F", .required("LIST", .text), in: .fields,
            "print these fields only, in this order",
            "Print these fields only, in this order. LIST holds key paths separated by commas. A "
                + "path may follow links (`from.name`), and `NAME=PATH` names the field anew: "
                + "`-F id=_id,sender=from.name`. See KEY PATHS."),
        OptionSpec(
            "exclude", nil, .required("LIST", .text), in: .fields,
            "leave out these properties",
            "Leave out the properties in LIST, which are separated by commas.",
            excludes: ["fields"]),
        OptionSpec(
            "expand", "x", .required("PATHS", .text), in: .fields,
            "inline the objects linked along these paths",
            "Print linked objects in place of links, along the key paths in PATHS and nowhere "
                + "else: `-x thread,from.address`. A cycle of links therefore ends where the "
                + "path ends."),
        OptionSpec(
            "backlinks", nil, in: .fields, "include incoming links",
            "Include incoming links as lists of keys, one field for each property that may link "
                + "here, called `@links.CLASS.PROPERTY`."),
        OptionSpec(
            "explode", nil, .required("PATH", .text), in: .fields,
            "one record for each element of a collection",
            "Print one record for each element of the collection PATH, with the element in place "
                + "of the collection; the key of a dictionary's entry is the field `PATH.@key`. An "
                + "object whose collection is empty yields no record."),
    ]

    private static let values: [OptionSpec] = [
        OptionSpec(
            "types", nil, .required("FORM", .choice(["plain", "extended"])), in: .values,
            "plain values, or with their types",
            "How values are written: `plain`, or `extended`, which keeps the type of every value. "
                + "See VALUES in `realm-tools(7)`.",
            defaultText: "plain"),
        OptionSpec(
            "time", nil, .required("FORM", .choice(["rfc3339", "unix", "unix-ns"])), in: .values,
            "form of dates: rfc3339, unix, unix-ns",
            "How dates are written: `rfc3339` (`2025-03-04T09:12:44Z`, always UTC), `unix` "
                + "(seconds since 1970, with decimals as needed) or `unix-ns` (nanoseconds since "
                + "1970, a whole number).",
            defaultText: "rfc3339"),
        OptionSpec(
            "binary", nil, .required("FORM", .choice(["base64", "hex", "omit"])), in: .values,
            "form of binary values: base64, hex, omit",
            "How binary values are written: `base64`, `hex`, or `omit` to leave them out.",
            defaultText: "base64"),
        OptionSpec(
            "join", nil, .required("TEXT", .text), in: .values,
            "separator of collection elements in csv and tsv",
            "The text between the elements of a collection in `csv` and `tsv`.",
            defaultText: "`;`"),
        OptionSpec(
            "null", nil, .required("TEXT", .text), in: .values,
            "text for null in csv, tsv and table",
            "The text for null in `csv`, `tsv` and `table`.",
            defaultText: "nothing in `csv`, `\\N` in `tsv`, `null` in `table`"),
    ]

    private static let records: [OptionSpec] =
        SharedOptions.formats(
            ["table", "ndjson", "json", "csv", "tsv"],
            auto: "`auto` is `table` on a terminal and `ndjson` otherwise; a script should say "
                + "which one it wants.")
        + [
            OptionSpec(
                "no-header", "H", in: .records, "csv, tsv and table without header",
                "Leave out the header line of `csv`, `tsv` and `table`."),
            OptionSpec(
                "null-separated", "0", in: .records, "end records with a NUL byte",
                "End each record with a NUL byte instead of a newline. With a single field this "
                    + "implies `--raw`, which suits `xargs -0`."),
            OptionSpec(
                "raw", nil, in: .records, "one value per line, strings unquoted",
                "Print the value of one field per line, strings without quotes and without "
                    + "escapes. Needs exactly one field; a string with a newline needs `-0`.",
                excludes: ["format", "json"]),
        ]

    private static let output: [OptionSpec] =
        SharedOptions.output
        + [
            OptionSpec(
                "output-dir", nil, .required("DIR", .directory), in: .output,
                "with --all: one file per class in DIR",
                "With `--all`: write one file per class into DIR, which is made if it is missing. "
                    + "In `csv` and `tsv` each list, set or dictionary gets a file of its own, "
                    + "`Class.property.csv`, so that relations survive. Its columns are `owner` (the "
                    + "object's primary key, else its `_key`), `index` for a list or `key` for a "
                    + "dictionary, and `value`. In file names, bytes of a name that mean something "
                    + "there, a dot too, are `%XX`, a long name ends in a digest, and no two are "
                    + "alike even where case does not count; `realm-write` takes them for CLASS.",
                excludes: ["output"], requires: "all")
        ]

    private static let access: [OptionSpec] = [
        SharedOptions.key, SharedOptions.access, SharedOptions.wait, SharedOptions.threads,
        SharedOptions.maxMemory,
    ]

    private static let general: [OptionSpec] = SharedOptions.general + [SharedOptions.progress]
}
