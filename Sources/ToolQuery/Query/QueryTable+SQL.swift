import ToolKit

extension QueryTable {
    /// Manual section about the mapping of types to SQL.
    static let sql: [ManualBlock] = [
        .paragraph(
            "`--format sql` prints one transaction that creates tables and indexes and inserts "
                + "every value. With `--all` it contains the whole database. With CLASS it "
                + "contains the selected objects of that class and their collections. Links are "
                + "then keys of their targets without foreign keys, and embedded objects are JSON. "
                + "No statement drops or replaces anything. Load them into an empty database, and "
                + "stop at the first error."),
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
                + "object. A link is the primary key of its target, and a foreign key. Objects "
                + "without a primary key, embedded objects, and objects whose primary key may be "
                + "null have the primary key `_key`, the object key. If two names would be equal "
                + "in the other database, nothing is printed and the error names both. The types, "
                + "in the order of `sqlite`, `postgres`, `duckdb`:"),
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
                    + "with a NUL is `{\"$string\":...}`, and so is a string that looks like "
                    + "these forms"
            ),
            ("binary", "BLOB, BYTEA, BLOB"),
            (
                "date",
                "TEXT (`2025-03-04T09:12:44.5Z`), TIMESTAMPTZ, TIMESTAMP in UTC. If a property has "
                    + "dates with nanoseconds, it is TIMESTAMP_NS in DuckDB and TEXT in "
                    + "PostgreSQL. If a date is out of range, the property is TEXT. A notice "
                    + "reports either case"
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
            "DuckDB needs tables in order, so links in a cycle are not foreign keys there; a "
                + "notice names them. Indexes follow the rows. In PostgreSQL, indexes of strings "
                + "are hash indexes, which accept strings of any length. Full-text indexes are "
                + "not created."
        ),
    ]
}
