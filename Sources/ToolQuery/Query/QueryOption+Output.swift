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
        auto:
            "`auto` is `table` on a terminal and `ndjson` otherwise; scripts should name the form. "
            + "`html` is one page for a browser with the whole database, see PAGES. `diff` can "
            + "only be used with `--diff`, and these forms only with `--schema`: "
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
        "Character between the fields of `csv`; the word `tab` means a tab. Numbers are printed "
            + "with a decimal point even if CHAR is a semicolon. `realm-write` has the same "
            + "option.",
        defaultText: "`,`", uses: QueryUse.all(but: .batch))

    static let carriageReturns = Option(
        "crlf", in: .records, "end lines of csv and tsv with CRLF",
        "End the lines of `csv` and `tsv` with carriage return and line feed, as on Windows.",
        excludes: [nullSeparated], uses: QueryUse.all(but: .batch))

    static let byteOrderMark = Option(
        "bom", in: .records, "begin csv and tsv with a byte order mark",
        "Begin `csv` and `tsv` with a UTF-8 byte order mark. Excel needs it to recognise UTF-8.",
        uses: QueryUse.all(but: .batch))

    static let nullSeparated = Option(
        "null-separated", "0", in: .records, "end records with a NUL byte",
        "End each record with a NUL byte instead of a newline. If there is only one field, the "
            + "option implies `--raw`, so that `xargs -0` can read the values.",
        uses: QueryUse.all(but: .batch))

    static let raw = Option(
        "raw", in: .records, "one value per line, strings unquoted",
        "Print only a value on each line, without quotes and escapes. Exactly one field must be "
            + "selected, as by `-F name`. If strings may contain newlines, add `-0`, so that a "
            + "program can tell the values apart.",
        excludes: [format, SharedOptions.json],
        uses: Uses([QueryUse.objects]))

    static let outputDirectory = Option(
        "output-dir", nil, .required("DIR", .directory), in: .output,
        "with --all: one file per class in DIR",
        "With `--all`: write one file per class into DIR, which is created if missing. In `csv` "
            + "and `tsv`, each property with a list, set or dictionary gets a file of its own, "
            + "`Class.property.csv`. Its columns are `owner` (the object's primary key, else its "
            + "`_key`), `index` for a list or `key` for a dictionary, and `value`. Every other "
            + "file has the name of its class. In file names, special bytes, including dots, "
            + "become `%XX`, and a long name is cut and ends in a digest. No two names differ only "
            + "in upper and lower case. `realm-write` accepts the name of such a file for CLASS.",
        excludes: [SharedOptions.output], needs: [all],
        uses: QueryUse.everyClass)
}
