import RealmEngine
import Synchronization

/// Names of columns that tables had no room for.
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

/// The form of records and the options of forms.
package struct RecordStyle: Sendable {
    package var form: any RecordForm.Type
    package var hasHeader = true
    /// Byte that ends a record: newline or NUL.
    package var terminator = UInt8(ascii: "\n")
    /// Byte between the cells of a line; nil for the one of the form.
    package var delimiter: UInt8?
    /// Text of a null in a cell; nil for the one of the form.
    package var null: [UInt8]?
    /// Whether lines of cells end in CRLF, unless they end in NUL.
    package var hasCarriageReturns = false
    /// Whether lines of cells begin with a byte order mark.
    package var hasByteOrderMark = false
    /// Columns a table may take; nil for no limit.
    package var width: Int?
    /// Whether headings of tables stand out.
    package var isColored = false
    /// Whether all rows of a table are in memory and decide its widths.
    var areRowsInMemory = false
    /// Notes for the person who reads a table.
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
