import ToolKit

extension QueryTable {
    /// Manual section about the mapping of types to SQL.
    static let sql: [ManualBlock] = [
        .paragraph(
            "`--format sql` prints one transaction that creates tables and indexes and inserts every "
                + "value. With `--all` it holds the whole database; with CLASS the chosen objects of "
                + "that class and their collections, where links are keys but no foreign keys and "
                + "embedded objects are JSON. Nothing is dropped or replaced: load it into an empty "
                + "database, and let the loader stop at the first error."),
        .literal([
            "realm-query -f sql --all app.realm | sqlite3 -bail app.sqlite",
            "realm-query -f sql --dialect postgres --all app.realm | psql -v ON_ERROR_STOP=1 app",
            "realm-query -f sql --dialect duckdb --all app.realm | duckdb -bail app.duckdb",
        ]),
        .paragraph(
            "A class is a table of its name, each of its lists, sets and dictionaries a table "
                + "`Class_property` with the columns `owner`, then `position` (from 0) or `key`, then "
                + "`value`. An embedded class is a table too, whose objects say with `_owner_class`, "
                + "`_owner_property` and `_owner` what they are part of. A link is the primary key of "
                + "its target and a foreign key. Objects without a primary key, embedded ones, and those "
                + "whose primary key may be null have the primary key `_key`, the number by which Realm "
                + "knows them. Where two names would be one in the other database, nothing is printed "
                + "and the error names both. The types, in the order of `sqlite`, `postgres`, "
                + "`duckdb`:"),
        .definitions([
            ("int", "INTEGER, BIGINT, BIGINT"),
            ("bool", "BOOLEAN"),
            (
                "float, double",
                "REAL; REAL, DOUBLE PRECISION; FLOAT, DOUBLE. What SQLite has no number for, NaN, is "
                    + "the text `NaN` there, and a negative zero is zero"
            ),
            ("decimal128", "TEXT, NUMERIC, VARCHAR"),
            (
                "string",
                "TEXT, TEXT, VARCHAR. What is not UTF-8 is a BLOB in SQLite, and "
                    + "`{\"$string\":{\"base64\":...}}` elsewhere; so is, as `{\"$string\":...}`, a "
                    + "string with a NUL in PostgreSQL, and one that looks like these"
            ),
            ("binary", "BLOB, BYTEA, BLOB"),
            (
                "date",
                "TEXT (`2025-03-04T09:12:44.5Z`), TIMESTAMPTZ, TIMESTAMP in UTC. Where a property "
                    + "holds dates with nanoseconds it is TIMESTAMP_NS in DuckDB and TEXT in "
                    + "PostgreSQL, and TEXT where a date is out of range; a notice says so"
            ),
            ("objectId", "TEXT, TEXT, VARCHAR: 24 digits"),
            ("uuid", "TEXT, UUID, UUID"),
            (
                "mixed",
                "TEXT, JSON, VARCHAR: JSON, plain where that is exact, else extended; see VALUES in "
                    + "`realm-tools(7)`"
            ),
        ]),
        .paragraph(
            "In DuckDB, which needs tables in an order, links that lead in a circle are no foreign "
                + "keys; a notice names them. Indexes follow the rows; in PostgreSQL those of strings "
                + "are hash indexes, which take strings of any length. Full-text indexes are not made."
        ),
    ]
}
