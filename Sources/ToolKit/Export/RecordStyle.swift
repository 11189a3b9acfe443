import RealmEngine
import Synchronization

/// Names of columns that the text output of tables omits because the terminal is too narrow.
/// Thread-safe.
package final class TableNotes: Sendable {
    private let names = Mutex<[String]>([])

    func omitColumns(_ columns: [String]) { names.withLock { $0 += columns } }

    /// Message that names the omitted columns; nil if there are none.
    package var text: String? {
        let names = names.withLock { $0 }
        if names.isEmpty { return nil }
        let plural = names.count == 1 ? "" : "s"
        return "+\(names.count) column\(plural), -F or -f line: \(names.joined(separator: ", "))"
    }
}

/// The output format of records, and the options that affect output formats.
package struct RecordStyle: Sendable {
    package var form: any RecordForm.Type
    package var hasHeader = true
    /// Byte that ends a record: newline or NUL.
    package var terminator = UInt8(ascii: "\n")
    /// Byte between the cells of a line; nil for the format's default.
    package var delimiter: UInt8?
    /// Text of null in a cell; nil for the format's default.
    package var null: [UInt8]?
    /// Whether lines of CSV and TSV output end in CRLF, unless they end in NUL.
    package var hasCarriageReturns = false
    /// Whether CSV and TSV output begins with a byte order mark.
    package var hasByteOrderMark = false
    /// Width of the terminal in columns; nil for no limit.
    package var width: Int?
    /// Whether headings of tables are emphasised.
    package var isColored = false
    /// Whether all rows of a text table are in memory before it is printed, so that all of them
    /// determine the widths of columns.
    var areRowsInMemory = false
    /// Names of columns that text tables omit because the terminal is too narrow.
    package let notes = TableNotes()
    package var dialect = SQLDialect.sqlite

    package init(
        _ form: any RecordForm.Type, hasHeader: Bool = true, terminator: UInt8 = UInt8(ascii: "\n")
    ) {
        self.form = form
        self.hasHeader = hasHeader
        self.terminator = terminator
    }
}
