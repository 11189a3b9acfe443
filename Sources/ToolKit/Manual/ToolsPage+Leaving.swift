/// Section of realm-tools(7) about exporting to other database systems, and about exporting many
/// files at once.
extension ToolsPage {
    static let leaving: [ManualBlock] = [
        .paragraph(
            "Each migration takes two commands: one writes the classes or tables for the new "
                + "program, the other writes the records. Compare the counts at the end: "
                + "`realm-query -f csv app.realm` prints the count of each class."),
        .definitions([
            (
                "SQLite, GRDB",
                "Run `realm-query -S -f grdb app.realm` and `realm-query -f sql --all app.realm | "
                    + "sqlite3 -bail app.sqlite`. The record types have the names of the tables "
                    + "and columns. No data is lost: lists, sets and dictionaries are tables, "
                    + "links are foreign keys, and mixed values are JSON. Dates and decimal128 "
                    + "are text, which preserves all digits."
            ),
            (
                "Room",
                "`realm-query -S -f room app.realm` prints entities for the same tables. Room "
                    + "creates the tables; the `INSERT` statements of `-f sql` fill them, in the "
                    + "order of the columns. The table of a set that may contain null first needs "
                    + "a key of its own."
            ),
            (
                "SwiftData",
                "Run `realm-query -S -f swiftdata app.realm`, and `realm-query -f ndjson "
                    + "app.realm CLASS` for each class, and decode the records in a program. "
                    + "Lists of objects lose their order, because SwiftData does not keep it. "
                    + "Mixed properties, dictionaries of links and links inside embedded objects "
                    + "have no type; they are left out with a comment."
            ),
            (
                "PostgreSQL, DuckDB",
                "Run `realm-query -f sql --dialect postgres --all app.realm | psql -v "
                    + "ON_ERROR_STOP=1 app`, or the same with `duckdb`. See SQL in "
                    + "`realm-query(1)`."
            ),
            (
                "ObjectBox",
                "ObjectBox has no import, so a program must decode `realm-query -f ndjson "
                    + "app.realm CLASS` and put the objects. ObjectBox assigns ids, numbers from "
                    + "1. Keep the primary key as an indexed property, and use it to set links in "
                    + "a second pass. `-F _key,...` prints a key for classes without one. Sets "
                    + "become lists; mixed values, decimal128, dictionaries and embedded objects "
                    + "need a converter to text. To verify, print the stored objects in the order "
                    + "of their keys, and compare them with `realm-query -s KEY -f ndjson "
                    + "app.realm CLASS`."
            ),
            (
                "MongoDB",
                "Run `realm-query --all --types extended -f ndjson --output-dir out app.realm`, "
                    + "and `mongoimport --db app --collection Person --file out/Person.ndjson` "
                    + "for each class. Integers, dates, ids, binary data and decimal128 have the "
                    + "types of MongoDB's Extended JSON. `-F _id=KEY,...` renames a primary key "
                    + "that is not called `_id`. Links, sets, dictionaries and embedded objects "
                    + "are objects such as `$link`; MongoDB stores them from version 5 on, but "
                    + "does not follow links. A MongoDB date has milliseconds; `$nanoseconds` "
                    + "beside it is not part of Extended JSON. Without `--types extended`, dates "
                    + "and ids are text with all their digits. To verify, load `mongoexport "
                    + "--jsonFormat canonical` into a database of the same schema by "
                    + "`realm-write`, and compare `realm-query --digest`."
            ),
            (
                "Any program that reads JSON",
                "Run `realm-query --all -f ndjson --output-dir out app.realm`. `realm-query -S -f "
                    + "jsonschema app.realm` prints a JSON Schema to check the records."
            ),
            (
                "A spreadsheet",
                "Run `realm-query -f csv --bom --crlf -o people.csv app.realm Person`, with "
                    + "`--delimiter ';'` if numbers have a decimal comma."
            ),
        ]),
    ]

    static let manyFiles: [ManualBlock] = [
        .paragraph(
            "Each tool reads one file in little memory, so `xargs -P` can process thousands of "
                + "files. The exit status of `xargs` is 123 if any of them had a finding:"),
        .literal([
            "find . -name '*.realm' -print0 | xargs -0 -P 4 -n 50 realm-compact --check",
            "find . -name '*.realm' -print0 | xargs -0 -P 4 -n 50 realm-versions -f ndjson",
        ]),
        .paragraph(
            "`realm-query` runs one query on several files. Each line begins with the name of the "
                + "file, and an error in one file does not stop the others:"),
        .literal([
            "find . -name '*.realm' -print0 | xargs -0 realm-query --digest --with-filename",
            "find . -name '*.realm' -print0 | xargs -0 realm-query -c --class Person --where 'age > 30'",
            "realm-query --all phone-1.realm phone-2.realm | jq -c 'select(.\"$class\" == \"Person\")'",
        ]),
        .paragraph("DuckDB and Spark read NDJSON; `--schema -f ddl` prints the types for Spark:"),
        .literal([
            "realm-query -f ndjson app.realm Person > person.ndjson",
            "duckdb -c \"COPY (SELECT * FROM read_json('person.ndjson', format =",
            "  'newline_delimited')) TO 'person.parquet' (FORMAT parquet)\"",
            "realm-query -S -f ddl app.realm Person > person.ddl",
            "spark.read.schema(open('person.ddl').read()).json('person.ndjson')",
        ]),
    ]
}
