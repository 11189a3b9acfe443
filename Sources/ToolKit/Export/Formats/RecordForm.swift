import RealmEngine

/// An output format for records such as `csv` or `json`. Static members describe the format; an
/// instance writes the records of one table.
///
/// Each format is a file in this folder and an entry of `RecordForms.all`. Confined to one thread.
package protocol RecordForm: AnyObject, SendableMetatype {
    /// Argument of `--format`.
    static var format: OutputFormat { get }
    /// Description of the format in the manual.
    static var manual: String { get }
    /// Quoting rules of cells.
    static var cells: CellRules { get }
    /// Whether `realm-write` can read the format.
    static var isReadBack: Bool { get }
    /// Whether no record depends on earlier records. Records may then be rendered in another order
    /// than they are printed in.
    static var hasIndependentRecords: Bool { get }
    /// Whether the type conforms to `LayoutForm`. A member, because a cast would search for the
    /// conformance at run time.
    static var isLayout: Bool { get }
    /// Whether each record ends with a terminator, a newline or NUL.
    static var hasTerminators: Bool { get }
    /// Whether reports of tools, such as the list of classes, can also be printed in this format.
    static var printsReports: Bool { get }
    /// Suffix of files in `--output-dir`; nil if the format cannot be written there.
    static var fileSuffix: String? { get }

    init(_ fields: RecordFields, _ style: RecordStyle)

    /// Constant texts before and after each record; nil for a format that has no such texts, such
    /// as the text table, and that implements `append`.
    var frame: RecordFrame? { get }

    /// Appends the text before the first record of the table.
    ///
    /// - Parameter isFirst: whether this table is the first in the output.
    func begin(isFirst: Bool, to out: inout ByteBuffer)

    func append(_ record: any RecordContent, to out: inout ByteBuffer) throws(RealmError)

    /// Appends the text at the end of a batch of records. Another worker may write the next batch.
    func endBatch(to out: inout ByteBuffer)

    /// Appends the text after the last record of the table.
    func finish(to out: inout ByteBuffer)

    /// Renders a record without the parts that depend on earlier records, such as separators.
    /// `print` adds them later.
    func spool(_ record: any RecordContent, to out: inout ByteBuffer) throws(RealmError)

    /// Appends a record that `spool` rendered, with the parts that depend on earlier records.
    func print(_ spooled: UnsafeRawBufferPointer, to out: inout ByteBuffer)

    /// Completes the beginning of the whole output, such as the bracket that opens a JSON array.
    /// Called with the first buffer, in which the first record begins at `start`.
    static func beginOutput(_ buffer: inout ByteBuffer, at start: Int)

    /// Appends the text at the end of the output, after the last table.
    static func endOutput(isEmpty: Bool, to out: inout ByteBuffer)
}

extension RecordForm {
    package static var cells: CellRules { CellRules() }
    package static var isReadBack: Bool { false }
    package static var hasIndependentRecords: Bool { true }
    package static var isLayout: Bool { false }
    package static var hasTerminators: Bool { true }
    package static var printsReports: Bool { true }
    package static var fileSuffix: String? { nil }

    package var frame: RecordFrame? { nil }

    package func begin(isFirst: Bool, to out: inout ByteBuffer) {}

    package func append(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) {
        guard let frame else { preconditionFailure("a form without frame appends records itself") }
        frame.begin(&out)
        if let separator = frame.separator {
            try record.appendCells(separator: separator, to: &out)
        } else {
            try record.appendObject(to: &out)
        }
        frame.end(&out)
    }

    package func endBatch(to out: inout ByteBuffer) {}
    package func finish(to out: inout ByteBuffer) {}

    package func spool(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) { try append(record, to: &out) }

    package func print(_ spooled: UnsafeRawBufferPointer, to out: inout ByteBuffer) {
        out.append(spooled)
    }

    package static func beginOutput(_ buffer: inout ByteBuffer, at start: Int) {}
    package static func endOutput(isEmpty: Bool, to out: inout ByteBuffer) {}
}

/// The constant bytes around a record, and the byte between its cells.
package struct RecordFrame: Sendable {
    /// Byte between cells; nil for a JSON object.
    let separator: UInt8?
    private let before: StaticString
    private let hasBefore: Bool
    /// Byte after each record; nil for none.
    let terminator: UInt8?
    let hasCarriageReturn: Bool

    init(
        separator: UInt8? = nil, before: StaticString = "", terminator: UInt8? = nil,
        hasCarriageReturn: Bool = false
    ) {
        self.separator = separator
        self.before = before
        hasBefore = before.utf8CodeUnitCount > 0
        self.terminator = terminator
        self.hasCarriageReturn = hasCarriageReturn
    }

    @inline(__always)
    func begin(_ out: inout ByteBuffer) {
        if hasBefore { out.append(before) }
    }

    @inline(__always)
    func end(_ out: inout ByteBuffer) {
        if hasCarriageReturn { out.append(UInt8(ascii: "\r")) }
        if let terminator { out.append(terminator) }
    }
}

/// The fields of the records of a table.
package struct RecordFields {
    /// Names of the fields: member names in JSON, column headings elsewhere.
    package var labels: [String]
    /// For each field, whether it contains numbers, which are right-aligned in tables.
    package var isNumber: [Bool]
    /// Class of the records; nil if records do not name their class.
    package var title: String?
    /// SQL table to which the records are written; nil for other output formats.
    package var sql: SQLTable?

    package init(
        _ labels: [String], isNumber: [Bool] = [], title: String? = nil, sql: SQLTable? = nil
    ) {
        self.labels = labels
        self.isNumber = labels.indices.map { isNumber.indices.contains($0) && isNumber[$0] }
        self.title = title
        self.sql = sql
    }
}

/// The current record. Provides each encoding that an output format needs.
package protocol RecordContent: AnyObject {
    /// Appends the record as a JSON object.
    func appendObject(to out: inout ByteBuffer) throws(RealmError)

    /// Appends the cells of all fields with a separator between them.
    func appendCells(separator: UInt8, to out: inout ByteBuffer) throws(RealmError)

    /// Calls `body` with the cell of each field in turn.
    func forEachCell(_ body: (UnsafeRawBufferPointer) -> Void) throws(RealmError)

    /// Appends the values of an SQL row with commas between them.
    func appendSQL(to out: inout ByteBuffer) throws(RealmError)
}

extension RecordContent {
    package func appendSQL(to out: inout ByteBuffer) throws(RealmError) {
        preconditionFailure("only objects are rows of SQL")
    }
}
