import RealmEngine

/// Lines of cells with a separator between them, the first one a header: CSV and TSV.
package class DelimitedForm {
    private let labels: [String]
    private let style: RecordStyle
    private let cells: CellText
    private let separator: UInt8
    private let terminator: UInt8
    private let hasCarriageReturns: Bool

    init(_ fields: RecordFields, _ style: RecordStyle) {
        labels = fields.labels
        self.style = style
        cells = CellText(style)
        separator = cells.separator
        terminator = style.terminator
        hasCarriageReturns = style.hasCarriageReturns && style.terminator != 0
    }

    package func begin(isFirst: Bool, to out: inout ByteBuffer) {
        if isFirst, style.hasByteOrderMark { out.append("\u{FEFF}") }
        guard style.hasHeader else { return }
        for (position, label) in labels.enumerated() {
            if position > 0 { out.append(separator) }
            cells.append(label, to: &out)
        }
        endLine(to: &out)
    }

    package func append(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) {
        try record.appendCells(separator: separator, to: &out)
        endLine(to: &out)
    }

    private func endLine(to out: inout ByteBuffer) {
        if hasCarriageReturns { out.append(UInt8(ascii: "\r")) }
        out.append(terminator)
    }
}
