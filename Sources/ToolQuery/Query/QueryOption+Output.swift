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
        auto: "`auto` is `table` on a terminal and `ndjson` otherwise; scripts should name the "
            + "form. `html` is a page of the whole file, see PAGES; `diff` is for `--diff`. Forms "
            + "for `--schema` only: "
            + SchemaForms.all.map { "`\($0.format.rawValue)` (\($0.meaning))" }
            .joined(separator: ", ") + ".",
        summary: "form of the output: table, line, ndjson, csv, sql and more")

    static let dialect = Option(
        "dialect", nil, .required("NAME", .choice), in: .records,
        "dialect of sql: sqlite, postgres, duckdb",
        "Database that will read the output of `--format sql`: `sqlite`, `postgres` or `duckdb`. "
            + "See SQL.",
        default: SQLDialect.sqlite, uses: Uses([QueryUse.objects, .everything]))

    /// Options that cannot be combined with the format `sql`.
    static let withoutSQL: [any OptionDeclaration] = [
        fields, exclude, expand, backlinks, explode, types, time, binary, join, null, noHeader,
        delimiter, carriageReturns, byteOrderMark, nullSeparated, raw, count, aggregate,
        provenance,
    ]

    static let noHeader = Option(
        "no-header", "H", in: .records, "csv, tsv and table without header",
        "Omit the header line of `csv`, `tsv` and `table`.",
        uses: QueryUse.all(but: .batch))

    static let delimiter = Option(
        "delimiter", nil, .required("CHAR", .delimiter), in: .records,
        "character between the fields of csv: ';', tab",
        "Character between the fields of `csv`; `tab` for a tab. Numbers keep their decimal "
            + "point. `realm-write` has the same option.",
        defaultText: "`,`", uses: QueryUse.all(but: .batch))

    static let carriageReturns = Option(
        "crlf", in: .records, "end lines of csv and tsv with CRLF",
        "End the lines of `csv` and `tsv` with carriage return and line feed, as on Windows.",
        excludes: [nullSeparated], uses: QueryUse.all(but: .batch))

    static let byteOrderMark = Option(
        "bom", in: .records, "begin csv and tsv with a byte order mark",
        "Begin `csv` and `tsv` with a UTF-8 byte order mark. Without it, Excel assumes another "
            + "encoding.",
        uses: QueryUse.all(but: .batch))

    static let nullSeparated = Option(
        "null-separated", "0", in: .records, "end records with a NUL byte",
        "End each record with a NUL byte instead of a newline. With a single field this implies "
            + "`--raw`, for use with `xargs -0`.",
        uses: QueryUse.all(but: .batch))

    static let raw = Option(
        "raw", in: .records, "one value per line, strings unquoted",
        "Print the value of one field per line; strings have no quotes and no escapes. Needs "
            + "exactly one field. A string with a newline needs `-0`.",
        excludes: [format, SharedOptions.json],
        uses: Uses([QueryUse.objects]))

    static let outputDirectory = Option(
        "output-dir", nil, .required("DIR", .directory), in: .output,
        "with --all: one file per class in DIR",
        "With `--all`: write one file per class into DIR, which is created if missing. In `csv` "
            + "and `tsv` each list, set or dictionary gets its own file, `Class.property.csv`, so "
            + "that relations are preserved. Its columns are `owner` (the object's primary key, "
            + "else its `_key`), `index` for a list or `key` for a dictionary, and `value`. A file "
            + "has the name of its class: special bytes, including dots, become `%XX`, and a long "
            + "name ends in a digest. No two names are equal, even if case is ignored. "
            + "`realm-write` accepts such a name for CLASS.",
        excludes: [SharedOptions.output], needs: [all],
        uses: QueryUse.everyClass)
}
