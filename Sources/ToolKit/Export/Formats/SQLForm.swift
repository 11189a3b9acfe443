import RealmEngine

extension OutputFormat { package static let sql = Self(rawValue: "sql") }

/// Output format: SQL INSERT statements.
package final class SQLForm: RecordForm {
    package static let format = OutputFormat.sql
    package static let manual =
        "Statements that create the same content in another database; see SQL."
    package static let hasIndependentRecords = false
    package static let printsReports = false

    private let insertion: ConstantBytes
    /// Number of rows in the open INSERT statement; 0 if none is open.
    private var rows = 0

    /// Maximum number of rows in a statement. Many rows amortise the cost of a statement; too many
    /// take too much memory to parse.
    private static let rowsPerStatement = 256

    package init(_ fields: RecordFields, _ style: RecordStyle) {
        insertion = ConstantBytes([Array((fields.sql?.insertion ?? "").utf8)])
    }

    package func append(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) {
        beginRow(to: &out)
        try record.appendSQL(to: &out)
        endRow(to: &out)
    }

    package func spool(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) { try record.appendSQL(to: &out) }

    package func print(_ spooled: UnsafeRawBufferPointer, to out: inout ByteBuffer) {
        beginRow(to: &out)
        out.append(spooled)
        endRow(to: &out)
    }

    package func endBatch(to out: inout ByteBuffer) {
        if rows > 0 { out.append(";\n") }
        rows = 0
    }

    /// Begins a row of an INSERT statement. Begins the statement first if none is open.
    @inline(__always)
    func beginRow(to out: inout ByteBuffer) {
        if rows == 0 { out.append(insertion[0]) } else { out.append(",\n(") }
    }

    @inline(__always)
    func endRow(to out: inout ByteBuffer) {
        out.append(UInt8(ascii: ")"))
        rows &+= 1
        if rows == Self.rowsPerStatement { endBatch(to: &out) }
    }
}
