import RealmEngine

extension OutputFormat { package static let line = Self(rawValue: "line") }

/// Output format with one field per line, and an empty line between records.
package final class LineForm: LayoutForm {
    package static let format = OutputFormat.line
    package static let manual =
        "One field per line, `name = value`, with an empty line between objects; for classes with "
        + "many properties."

    package let style: RecordStyle
    package let title: String?
    private let labels: [String]
    private var field = 0
    private var isFirst = true
    private var row = ByteBuffer(capacity: 1024)

    package init(_ fields: RecordFields, _ style: RecordStyle) {
        let names = fields.labels.map { DisplayWidth.printable($0) }
        let width = names.map(DisplayWidth.columns).max() ?? 0
        labels = names.map {
            String(repeating: " ", count: width - DisplayWidth.columns($0)) + $0 + " = "
        }
        self.style = style
        title = fields.title
    }

    package func add(_ cell: UnsafeRawBufferPointer) {
        row.append(labels[field])
        row.append(DisplayWidth.printable(cell))
        row.append(style.terminator)
        field += 1
    }

    package func endRow(to out: inout ByteBuffer) {
        if !isFirst { out.append(style.terminator) }
        out.append(row.bytes)
        row.removeAll()
        (isFirst, field) = (false, 0)
    }
}
