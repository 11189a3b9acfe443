import ToolKit

extension QueryTable {
    /// Manual section about the mapping of types to SQL.
    static let sql: [ManualBlock] = [
        .paragraph(
            "`--format sql` prints one transaction that creates tables and indexes and inserts "
                + "every value. With `--all` it contains the whole database. With CLASS it "
                + "contains the selected objects of that class and their collections. In that "
                + "case, a link is the key of its target but no foreign key, and embedded objects "
                + "are JSON. No statement drops or replaces anything. Load the statements into an "
                + "empty database, and stop at the first error."),
        .literal([
            "realm-query -f sql --all app.realm | sqlite3 -bail app.sqlite",
            "realm-query -f sql --dialect postgres --all app.realm | psql -v ON_ERROR_STOP=1 app",
            "realm-query -f sql --dialect duckdb --all app.realm | duckdb -bail app.duckdb",
        ]),
        .paragraph(
            "A class becomes a table of the same name. Each of its lists, sets and dictionaries "
                + "becomes a table `Class_property` with the columns `owner`, then `position` "
                + "(from 0) or `key`, then `value`. An embedded class becomes a table too; "
                + "`_owner_class`, `_owner_property` and `_owner` identify the parent of an "
                + "object. A link becomes a foreign key that contains the primary key of its "
                + "target. Objects without a primary key, embedded objects, and objects whose "
                + "primary key may be null have the primary key `_key`, the object key. If the "
                + "other database does not distinguish two names, such as `Item` and `item` in "
                + "SQLite, nothing is printed and the error names both. The types, in the order of "
                + "`sqlite`, `postgres`, `duckdb`:"),
        .definitions([
            ("int", "INTEGER, BIGINT, BIGINT"),
            ("bool", "BOOLEAN"),
            (
                "float, double",
                "REAL; REAL, DOUBLE PRECISION; FLOAT, DOUBLE. In SQLite, NaN is the text `NaN`, "
                    + "and negative zero is zero"
            ),
            ("decimal128", "TEXT, NUMERIC, VARCHAR"),
            (
                "string",
                "TEXT, TEXT, VARCHAR. A string that is not UTF-8 is a BLOB in SQLite, and "
                    + "`{\"$string\":{\"base64\":...}}` in the others. In PostgreSQL, a string "
                    + "with a NUL character is `{\"$string\":...}`. There, a string that itself "
                    + "looks like one of these two forms is written as `{\"$string\":...}` too"
            ),
            ("binary", "BLOB, BYTEA, BLOB"),
            (
                "date",
                "TEXT (`2025-03-04T09:12:44.5Z`), TIMESTAMPTZ, TIMESTAMP in UTC. If some dates of "
                    + "a property have nanoseconds, its column is TIMESTAMP_NS in DuckDB and TEXT "
                    + "in PostgreSQL. If a date is outside the range of the column's type, the "
                    + "column is TEXT. A notice reports both cases"
            ),
            ("objectId", "TEXT, TEXT, VARCHAR: 24 digits"),
            ("uuid", "TEXT, UUID, UUID"),
            (
                "mixed",
                "TEXT, JSON, VARCHAR. The content is JSON, in the plain form if that is exact, "
                    + "else in the extended form; see VALUES in `realm-tools(7)`"
            ),
        ]),
        .paragraph(
            "In DuckDB, a foreign key can refer only to a table that already exists. If links form "
                + "a cycle of classes, some of them are therefore not foreign keys there, and a "
                + "notice names these. Indexes are created after all rows are inserted. In "
                + "PostgreSQL, indexes of strings are hash indexes, which accept strings of any "
                + "length. Full-text indexes are not created."
        ),
    ]
}
