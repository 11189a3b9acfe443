/// The forms records are printed in.
enum RecordFormat: Sendable {
    case ndjson
    case json
    case csv
    case tsv
    case table
    /// The one field of each record, strings as they are.
    case raw
}

/// How records are printed, values aside.
struct RecordStyle: Sendable {
    var format: RecordFormat
    var hasHeader = true
    /// Ends a record: newline or NUL.
    var terminator = UInt8(ascii: "\n")
    /// Columns a table may take; nil for no limit.
    var width: Int?
    /// Headings of tables stand out.
    var isColored = false
}
