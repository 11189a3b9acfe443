import ToolKit

/// Options for the form of records and the output.
extension QueryOption {
    static let recordsAndOutput: [any OptionDeclaration] = [
        format, dialect, SharedOptions.json, noHeader, delimiter, carriageReturns, byteOrderMark,
        nullSeparated, raw,
        SharedOptions.output.meant(for: QueryUse.all(but: .watch)), SharedOptions.force,
        outputDirectory,
    ]

    static let format = SharedOptions.formats(
        QueryForms.all,
        auto: "`auto` is `table` on a terminal and `ndjson` otherwise; a script should say "
            + "which one it wants. `html` is a page of the whole file, see PAGES; `diff` is for `--diff`. For `--schema` alone are "
            + SchemaForms.all.map { "`\($0.format.rawValue)` (\($0.meaning))" }
            .joined(separator: ", ") + ".",
        summary: "form of the output: table, line, ndjson, csv, sql and more")

    static let dialect = Option(
        "dialect", nil, .required("NAME", .choice), in: .records,
        "whose sql: sqlite, postgres, duckdb",
        "Which database is to read what `--format sql` prints: `sqlite`, `postgres` or `duckdb`. See "
            + "SQL.",
        default: SQLDialect.sqlite, uses: Uses([QueryUse.objects, .everything]))

    /// Options that do not apply to SQL.
    static let withoutSQL: [any OptionDeclaration] = [
        fields, exclude, expand, backlinks, explode, types, time, binary, join, null, noHeader,
        delimiter, carriageReturns, byteOrderMark, nullSeparated, raw, count, aggregate,
        provenance,
    ]

    static let noHeader = Option(
        "no-header", "H", in: .records, "csv, tsv and table without header",
        "Leave out the header line of `csv`, `tsv` and `table`.",
        uses: QueryUse.all(but: .batch))

    static let delimiter = Option(
        "delimiter", nil, .required("CHAR", .delimiter), in: .records,
        "character between the fields of csv: ';', tab",
        "The character between the fields of `csv`; `tab` for a tab. Numbers keep their decimal point. "
            + "`realm-write` has the same option.",
        defaultText: "`,`", uses: QueryUse.all(but: .batch))

    static let carriageReturns = Option(
        "crlf", in: .records, "end lines of csv and tsv with CRLF",
        "End the lines of `csv` and `tsv` with a carriage return and a line feed, as programs on "
            + "Windows do.",
        excludes: [nullSeparated], uses: QueryUse.all(but: .batch))

    static let byteOrderMark = Option(
        "bom", in: .records, "begin csv and tsv with a byte order mark",
        "Begin `csv` and `tsv` with the byte order mark of UTF-8: without one, Excel takes the text for "
            + "one of another encoding.",
        uses: QueryUse.all(but: .batch))

    static let nullSeparated = Option(
        "null-separated", "0", in: .records, "end records with a NUL byte",
        "End each record with a NUL byte instead of a newline. With a single field this "
            + "implies `--raw`, which suits `xargs -0`.",
        uses: QueryUse.all(but: .batch))

    static let raw = Option(
        "raw", in: .records, "one value per line, strings unquoted",
        "Print the value of one field per line, strings without quotes and without "
            + "escapes. Needs exactly one field; a string with a newline needs `-0`.",
        excludes: [format, SharedOptions.json],
        uses: Uses([QueryUse.objects]))

    static let outputDirectory = Option(
        "output-dir", nil, .required("DIR", .directory), in: .output,
        "with --all: one file per class in DIR",
        "With `--all`: write one file per class into DIR, which is made if it is missing. "
            + "In `csv` and `tsv` each list, set or dictionary gets a file of its own, "
            + "`Class.property.csv`, so that relations survive. Its columns are `owner` (the "
            + "object's primary key, else its `_key`), `index` for a list or `key` for a "
            + "dictionary, and `value`. In file names, bytes of a name that mean something "
            + "there, a dot too, are `%XX`, a long name ends in a digest, and no two are "
            + "alike even where case does not count; `realm-write` takes them for CLASS.",
        excludes: [SharedOptions.output], needs: [all],
        uses: QueryUse.everyClass)
}
