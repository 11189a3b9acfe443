import RealmEngine
import Synchronization

/// The forms records are printed in.
package enum RecordFormat: Sendable {
    case ndjson
    case json
    case csv
    case tsv
    case table
    /// A field a line.
    case line
    /// A table of Markdown.
    case markdown
    /// Rows that a database is told to insert.
    case sql
    /// The one field of each record, strings as they are.
    case raw

    /// Whether `realm-write` reads records in this form.
    package var isReadBack: Bool {
        switch self {
        case .ndjson, .json, .csv, .tsv: true
        case .table, .line, .markdown, .sql, .raw: false
        }
    }
}

/// What was left out of tables, to be said when they are printed.
package final class TableNotes: Sendable {
    private let names = Mutex<[String]>([])

    func leaveOut(_ columns: [String]) { names.withLock { $0 += columns } }

    /// Nil where nothing was left out.
    package var text: String? {
        let names = names.withLock { $0 }
        if names.isEmpty { return nil }
        let plural = names.count == 1 ? "" : "s"
        return "+\(names.count) column\(plural), -F or -f line: \(names.joined(separator: ", "))"
    }
}

/// How records are printed, values aside.
package struct RecordStyle: Sendable {
    package var format: RecordFormat
    package var hasHeader = true
    /// Ends a record: newline or NUL.
    package var terminator = UInt8(ascii: "\n")
    /// Between fields of csv; nil for a comma.
    package var delimiter: UInt8?
    /// Whether lines of csv and tsv end in CRLF, unless they end in NUL.
    package var hasCarriageReturns = false
    /// Whether csv and tsv begin with a byte order mark.
    package var hasByteOrderMark = false
    /// Columns a table may take; nil for no limit.
    package var width: Int?
    /// Headings of tables stand out.
    package var isColored = false
    /// What a person should know of tables.
    package let notes = TableNotes()
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

    /// Between the fields of a line of csv or tsv.
    var separator: UInt8 {
        format == .tsv ? UInt8(ascii: "\t") : delimiter ?? UInt8(ascii: ",")
    }

    /// Appends what precedes the first line of csv or tsv.
    func appendMark(to out: inout ByteBuffer) {
        if hasByteOrderMark, format == .csv || format == .tsv { out.append("\u{FEFF}") }
    }

    /// Ends a line of csv or tsv.
    @inline(__always)
    func appendLineEnd(to out: inout ByteBuffer) {
        if hasCarriageReturns, terminator != 0 { out.append(UInt8(ascii: "\r")) }
        out.append(terminator)
    }
}
