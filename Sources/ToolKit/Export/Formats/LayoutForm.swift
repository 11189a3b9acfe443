import RealmEngine

/// An output format for people that arranges cells in rows. Its records have no terminators, and
/// the layout of a record depends on other records.
package protocol LayoutForm: RecordForm {
    /// Text before the name of a class.
    static var titleMark: StaticString { get }
    /// Whether an empty line follows the name of a class.
    static var separatesTitle: Bool { get }
    var style: RecordStyle { get }
    var title: String? { get }

    /// Adds a cell to the current row.
    func add(_ cell: UnsafeRawBufferPointer)

    /// Ends the current row.
    func endRow(to out: inout ByteBuffer)
}

extension LayoutForm {
    package static var hasIndependentRecords: Bool { false }
    package static var isLayout: Bool { true }
    package static var hasTerminators: Bool { false }
    package static var titleMark: StaticString { "" }
    package static var separatesTitle: Bool { true }

    package func begin(isFirst: Bool, to out: inout ByteBuffer) {
        guard style.hasHeader, let title else { return }
        if !isFirst { out.append(style.terminator) }
        out.append(Self.titleMark)
        out.append(DisplayWidth.printable(title))
        out.append(style.terminator)
        if Self.separatesTitle { out.append(style.terminator) }
    }

    package func append(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) {
        try record.forEachCell { add($0) }
        endRow(to: &out)
    }

    /// Renders the cells. The size of each cell precedes its text.
    package func spool(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) {
        try record.forEachCell { cell in
            withUnsafeBytes(of: cell.count) { out.append($0) }
            out.append(cell)
        }
    }

    package func print(_ spooled: UnsafeRawBufferPointer, to out: inout ByteBuffer) {
        var offset = 0
        while offset < spooled.count {
            let size = spooled.loadUnaligned(fromByteOffset: offset, as: Int.self)
            offset += MemoryLayout<Int>.size
            add(UnsafeRawBufferPointer(rebasing: spooled[offset..<offset + size]))
            offset += size
        }
        endRow(to: &out)
    }
}
