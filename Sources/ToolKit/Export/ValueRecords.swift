import RealmEngine

/// Prints records of aggregates, of all objects or by group. Confined to its snapshot's thread.
package final class ValueRecords {
    private let labels: [String]
    private let style: RecordStyle
    private let json: JSONRenderer
    private let cells: CellRenderer
    private let names: ConstantBytes
    private let table: (any RowLayout)?
    private var count = 0
    private var cell = ByteBuffer(capacity: 256)

    /// - Parameter isNumber: of each field; numbers stand to the right in tables.
    package init(
        _ labels: [String], isNumber: [Bool], _ snapshot: Snapshot, _ values: ValueStyle,
        _ style: RecordStyle
    ) {
        self.labels = labels
        self.style = style
        json = JSONRenderer(snapshot, values)
        cells = CellRenderer(json, style)
        names = ConstantBytes(MemberNames.rendered(labels))
        table = style.layout(labels, isNumber: isNumber)
    }

    /// What comes before the first record.
    package func begin(to out: inout ByteBuffer) {
        style.appendMark(to: &out)
        guard style.hasHeader, style.format == .csv || style.format == .tsv else { return }
        for (position, label) in labels.enumerated() {
            separate(position, to: &out)
            var label = label
            label.withUTF8 { utf8 in
                guard let base = utf8.baseAddress else { return }
                cells.appendEscaped(ByteView(base, count: utf8.count), to: &out)
            }
        }
        style.appendLineEnd(to: &out)
    }

    package func append(_ record: [Value], to out: inout ByteBuffer) throws(RealmError) {
        switch style.format {
        case .csv, .tsv:
            for (position, value) in record.enumerated() {
                separate(position, to: &out)
                try appendCell(value, to: &out)
            }
            style.appendLineEnd(to: &out)
        case .table, .line, .markdown:
            for value in record {
                cell.removeAll()
                try appendCell(value, to: &cell)
                table?.add(cell.bytes)
            }
            table?.endRow(to: &out)
        default:
            if style.format == .json { out.append(count == 0 ? "[" : ",\n") }
            for (position, value) in record.enumerated() {
                out.append(names[position])
                json.beginField()
                try json.append(value, JSONRenderer.Place(isWalking: false), to: &out)
            }
            out.append("}")
            if style.format != .json { out.append(style.terminator) }
        }
        count += 1
    }

    /// What comes after the last record.
    package func finish(to out: inout ByteBuffer) {
        table?.finish(to: &out)
        if style.format == .json { out.append(count == 0 ? "[]\n" : "]\n") }
    }

    private func separate(_ position: Int, to out: inout ByteBuffer) {
        if position > 0 { out.append(style.separator) }
    }

    private func appendCell(_ value: Value, to out: inout ByteBuffer) throws(RealmError) {
        json.beginField()
        try cells.append(value, JSONRenderer.Place(isWalking: false), isMixed: false, to: &out)
    }
}
