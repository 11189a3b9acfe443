import RealmEngine

/// The databases whose SQL can be written.
package enum SQLDialect: String, CaseIterable, Sendable {
    case sqlite
    case postgres
    case duckdb

    /// As people call it.
    var title: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        case .duckdb: "DuckDB"
        }
    }

    /// The type of a column of these values.
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

    /// A name in the form all three take.
    static func quoted(_ name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false).joined(
                separator: "\"\"") + "\""
    }

    /// What the database tells the name from others by.
    func identity(_ name: String) -> String {
        switch self {
        case .sqlite, .duckdb: name.lowercased()
        case .postgres: String(decoding: name.utf8.prefix(Self.longestPostgresName), as: UTF8.self)
        }
    }

    /// What follows in a name is left out by PostgreSQL.
    private static let longestPostgresName = 63

    /// Why the database takes no table of that name; nil if it does.
    func objection(toTable name: String) -> String? {
        if self == .sqlite, name.lowercased().hasPrefix("sqlite_") {
            return "SQLite keeps names that begin with sqlite_ for itself"
        }
        return Self.objection(to: name)
    }

    /// The same of a column.
    func objection(toColumn name: String) -> String? {
        if self == .postgres, Self.systemColumns.contains(name) {
            return "every table of PostgreSQL has a column of that name already"
        }
        return Self.objection(to: name)
    }

    private static let systemColumns: Set<String> = [
        "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid",
    ]

    private static func objection(to name: String) -> String? {
        if name.isEmpty { return "no name in SQL is empty" }
        return name.utf8.contains(0) ? "no name in SQL holds a NUL" : nil
    }
}

/// What a column of SQL holds.
package enum SQLKind: Sendable {
    case int, bool, float, double, decimal, text, bytes, objectID, uuid
    /// To the microsecond, and in years of four digits.
    case date
    /// To the nanosecond, within 292 years of 1970.
    case dateNanoseconds
    /// Any.
    case dateText
    /// Values of any type, and embedded objects.
    case json
}
