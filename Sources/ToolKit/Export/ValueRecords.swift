import RealmEngine

/// Prints the results of aggregate functions as records: one record for all objects, or one for
/// each group. Confined to its snapshot's thread.
package final class ValueRecords: RecordContent {
    private let form: any RecordForm
    private let json: JSONRenderer
    private let cells: CellRenderer
    private let names: ConstantBytes
    private var record: [Value] = []
    private var isEmpty = true

    /// - Parameter isNumber: for each field, whether it contains numbers, which are right-aligned
    ///   in tables.
    package init(
        _ labels: [String], isNumber: [Bool], _ snapshot: Snapshot, _ values: ValueStyle,
        _ style: RecordStyle
    ) {
        form = style.form.init(RecordFields(labels, isNumber: isNumber), style)
        json = JSONRenderer(snapshot, values)
        cells = CellRenderer(json, style)
        names = ConstantBytes(MemberNames.rendered(labels))
    }

    /// Appends the text before the first record.
    package func begin(to out: inout ByteBuffer) { form.begin(isFirst: true, to: &out) }

    package func append(_ record: [Value], to out: inout ByteBuffer) throws(RealmError) {
        self.record = record
        let start = out.count
        try form.append(self, to: &out)
        if isEmpty { type(of: form).beginOutput(&out, at: start) }
        isEmpty = false
    }

    /// Appends the text after the last record.
    package func finish(to out: inout ByteBuffer) {
        form.finish(to: &out)
        type(of: form).endOutput(isEmpty: isEmpty, to: &out)
    }

    package func appendObject(to out: inout ByteBuffer) throws(RealmError) {
        for (position, value) in record.enumerated() {
            out.append(names[position])
            json.beginField()
            try json.append(value, JSONRenderer.ValueContext(isWalking: false), to: &out)
        }
        out.append("}")
    }

    package func appendCells(
        separator: UInt8, to out: inout ByteBuffer
    ) throws(RealmError) {
        for (position, value) in record.enumerated() {
            if position > 0 { out.append(separator) }
            try appendCell(value, to: &out)
        }
    }

    package func forEachCell(_ body: (UnsafeRawBufferPointer) -> Void) throws(RealmError) {
        var cell = ByteBuffer(capacity: 256)
        for value in record {
            cell.removeAll()
            try appendCell(value, to: &cell)
            body(cell.bytes)
        }
    }

    private func appendCell(_ value: Value, to out: inout ByteBuffer) throws(RealmError) {
        json.beginField()
        try cells.append(
            value, JSONRenderer.ValueContext(isWalking: false), isMixed: false, to: &out)
    }
}
