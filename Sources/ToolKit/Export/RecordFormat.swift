/// The forms records are printed in.
package enum RecordFormat: Sendable {
    case ndjson
    case json
    case csv
    case tsv
    case table
    /// Rows that a database is told to insert.
    case sql
    /// The one field of each record, strings as they are.
    case raw
}

/// How records are printed, values aside.
package struct RecordStyle: Sendable {
    package var format: RecordFormat
    package var hasHeader = true
    /// Ends a record: newline or NUL.
    package var terminator = UInt8(ascii: "\n")
    /// Columns a table may take; nil for no limit.
    package var width: Int?
    /// Headings of tables stand out.
    package var isColored = false
    /// Whose SQL.
    package var dialect = SQLDialect.sqlite

    package init(
        format: RecordFormat, hasHeader: Bool = true, terminator: UInt8 = UInt8(ascii: "\n"),
        width: Int? = nil, isColored: Bool = false
    ) {
        self.format = format
        self.hasHeader = hasHeader
        self.terminator = terminator
        self.width = width
        self.isColored = isColored
    }
}
