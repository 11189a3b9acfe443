/// Section of realm-tools(7) about exporting to other databases, and from many files at once.
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
                "ObjectBox",
                "ObjectBox has no import: a program decodes `realm-query -f ndjson app.realm CLASS` and puts "
                    + "the objects. Its ids are numbers from 1 that it assigns: keep the primary key as an "
                    + "indexed property, and set links by it in a second pass; `-F _key,...` prints a key for "
                    + "classes without one. Sets become lists; mixed values, decimal128, dictionaries and "
                    + "embedded objects need a converter to text. To verify, let the program print what it "
                    + "stored in the order of the keys, and compare that with `realm-query -s KEY -f ndjson "
                    + "app.realm CLASS`."
            ),
            (
                "MongoDB",
                "`realm-query --all --types extended -f ndjson --output-dir out app.realm`, and "
                    + "`mongoimport --db app --collection Person --file out/Person.ndjson` for each class. "
                    + "Integers, dates, ids, binary data and decimal128 have the types of MongoDB's Extended "
                    + "JSON. A primary key that is not called `_id` gets that name by `-F _id=KEY,...`. "
                    + "Links, sets, dictionaries and embedded objects are objects such as `$link`, which "
                    + "MongoDB keeps from version 5 on and does not follow; a date has milliseconds; "
                    + "`$nanoseconds` beside them is none of MongoDB's. Without `--types extended` dates and ids are "
                    + "text with all their digits. To verify, load `mongoexport --jsonFormat canonical` into "
                    + "a database of the same schema by `realm-write` and compare `realm-query --digest`."
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
        .paragraph(
            "`realm-query` answers one question about several files; each line begins with the name of the file, and "
                + "the error of a file does not stop the others:"),
        .literal([
            "find . -name '*.realm' -print0 | xargs -0 realm-query --digest --with-filename",
            "find . -name '*.realm' -print0 | xargs -0 realm-query -c --class Person --where 'age > 30'",
            "realm-query --all phone-1.realm phone-2.realm | jq -c 'select(.\"$class\" == \"Person\")'",
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
