import RealmEngine

/// Base of CSV and TSV: a header line and lines of cells with a separator between them.
package class DelimitedForm {
    package let frame: RecordFrame?
    private let labels: [String]
    private let style: RecordStyle

    init(_ fields: RecordFields, _ style: RecordStyle) {
        labels = fields.labels
        self.style = style
        frame = RecordFrame(
            separator: CellText(style).separator, terminator: style.terminator,
            hasCarriageReturn: style.hasCarriageReturns && style.terminator != 0)
    }

    package func begin(isFirst: Bool, to out: inout ByteBuffer) {
        if isFirst, style.hasByteOrderMark { out.append("\u{FEFF}") }
        guard style.hasHeader else { return }
        let cells = CellText(style)
        for (position, label) in labels.enumerated() {
            if position > 0 { out.append(cells.separator) }
            cells.append(label, to: &out)
        }
        frame?.end(&out)
    }
}
