import RealmEngine

/// A database system for which SQL can be written.
package enum SQLDialect: String, CaseIterable, Sendable {
    case sqlite
    case postgres
    case duckdb

    /// Name of the database system in messages and comments.
    var title: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        case .duckdb: "DuckDB"
        }
    }

    /// Name of the SQL type for a column of this kind.
    func type(_ kind: SQLKind) -> String {
        switch kind {
        case .int: self == .sqlite ? "INTEGER" : "BIGINT"
        case .bool: "BOOLEAN"
        case .float: self == .duckdb ? "FLOAT" : "REAL"
        case .double: self == .sqlite ? "REAL" : self == .duckdb ? "DOUBLE" : "DOUBLE PRECISION"
        case .decimal: self == .postgres ? "NUMERIC" : text
        case .text, .objectID, .dateText: text
        case .bytes: self == .postgres ? "BYTEA" : "BLOB"
        case .date: self == .sqlite ? text : self == .duckdb ? "TIMESTAMP" : "TIMESTAMPTZ"
        case .dateNanoseconds: self == .duckdb ? "TIMESTAMP_NS" : text
        case .uuid: self == .sqlite ? text : "UUID"
        case .json: self == .postgres ? "JSON" : text
        }
    }

    private var text: String { self == .duckdb ? "VARCHAR" : "TEXT" }

    /// Returns the name as a quoted identifier, in a form that SQLite, PostgreSQL and DuckDB
    /// accept.
    static func quoted(_ name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false).joined(
                separator: "\"\"") + "\""
    }

    /// Returns a text that is the same for two names if the database system does not distinguish
    /// them. PostgreSQL compares the first 63 bytes of names, other systems ignore case.
    func identity(_ name: String) -> String {
        switch self {
        case .sqlite, .duckdb: name.lowercased()
        case .postgres:
            String(decoding: name.utf8.prefix(Self.maximumPostgresNameLength), as: UTF8.self)
        }
    }

    /// Maximum size in bytes of a name in PostgreSQL, which truncates longer names.
    private static let maximumPostgresNameLength = 63

    /// Reason why the database rejects a table of this name; nil if it accepts the name.
    func objection(toTable name: String) -> String? {
        if self == .sqlite, name.lowercased().hasPrefix("sqlite_") {
            return "SQLite reserves names that begin with sqlite_"
        }
        return Self.objection(to: name)
    }

    /// Reason why the database rejects a column of this name; nil if it accepts the name.
    func objection(toColumn name: String) -> String? {
        if self == .postgres, Self.systemColumns.contains(name) {
            return "every table in PostgreSQL already has a column of that name"
        }
        return Self.objection(to: name)
    }

    private static let systemColumns: Set<String> = [
        "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid",
    ]

    private static func objection(to name: String) -> String? {
        if name.isEmpty { return "a name in SQL cannot be empty" }
        return name.utf8.contains(0) ? "a name in SQL cannot contain a NUL" : nil
    }
}

/// Kind of values in a SQL column.
package enum SQLKind: Sendable {
    case int, bool, float, double, decimal, text, bytes, objectID, uuid
    /// Date with microseconds, in the years 1 to 9999.
    case date
    /// Date with nanoseconds, within 292 years of 1970.
    case dateNanoseconds
    /// Any date, as text.
    case dateText
    /// Values of any type and embedded objects, as JSON.
    case json
}
