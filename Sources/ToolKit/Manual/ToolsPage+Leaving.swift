/// Ways out of Realm files, to other databases and from many files at once.
extension ToolsPage {
    static let leaving: [ManualBlock] = [
        .paragraph(
            "Each way out is two commands: one writes the classes or tables that the new program needs, one "
                + "the records. Compare the counts at the end: `realm-query -f csv app.realm` lists them "
                + "for each class."),
        .definitions([
            (
                "SQLite, GRDB",
                "`realm-query -S -f grdb app.realm` and `realm-query -f sql --all app.realm | sqlite3 "
                    + "-bail app.sqlite`. The records have the names of the tables and columns. Nothing "
                    + "is lost: lists, sets and dictionaries are tables, links foreign keys, mixed values "
                    + "JSON. Dates and decimal128 are text, which keeps all their digits."
            ),
            (
                "Room",
                "`realm-query -S -f room app.realm`: entities for the same tables. Room makes the tables; "
                    + "the `INSERT` statements of `-f sql` fill them, in the order of the columns. A set "
                    + "that may hold null needs a key of its own first."
            ),
            (
                "SwiftData",
                "`realm-query -S -f swiftdata app.realm` and `realm-query -f ndjson app.realm CLASS` for each "
                    + "class, decoded by a program. Lists of objects lose their order, which SwiftData does "
                    + "not keep; mixed properties, dictionaries of links and links inside of embedded "
                    + "objects have no type and are left out with a comment."
            ),
            (
                "PostgreSQL, DuckDB",
                "`realm-query -f sql --dialect postgres --all app.realm | psql -v ON_ERROR_STOP=1 app`; "
                    + "`duckdb` likewise. See SQL in `realm-query(1)`."
            ),
            (
                "Any program that reads JSON",
                "`realm-query --all -f ndjson --output-dir out app.realm`, and "
                    + "`realm-query -S -f jsonschema app.realm` to check what it reads."
            ),
            (
                "A spreadsheet",
                "`realm-query -f csv --bom --crlf -o people.csv app.realm Person`, with "
                    + "`--delimiter ';'` where a comma is in numbers."
            ),
        ]),
    ]

    static let manyFiles: [ManualBlock] = [
        .paragraph(
            "Each tool reads one file in little memory, so that thousands of files are a matter of "
                + "`xargs -P`. Its exit status is 123 if any of them had a finding:"),
        .literal([
            "find . -name '*.realm' -print0 | xargs -0 -P 4 -n 50 realm-compact --check",
            "find . -name '*.realm' -print0 | xargs -0 -P 4 -n 50 realm-versions -f ndjson",
        ]),
        .paragraph("DuckDB and Spark take NDJSON; `--schema -f ddl` gives Spark the types:"),
        .literal([
            "realm-query -f ndjson app.realm Person > person.ndjson",
            "duckdb -c \"COPY (SELECT * FROM read_json('person.ndjson', format =",
            "  'newline_delimited')) TO 'person.parquet' (FORMAT parquet)\"",
            "realm-query -S -f ddl app.realm Person > person.ddl",
            "spark.read.schema(open('person.ddl').read()).json('person.ndjson')",
        ]),
    ]
}
