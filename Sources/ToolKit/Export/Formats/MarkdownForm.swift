import RealmEngine

extension OutputFormat { package static let markdown = Self(rawValue: "markdown") }

/// Output format: a Markdown table.
package final class MarkdownForm: LayoutForm {
    package static let format = OutputFormat.markdown
    package static let manual =
        "A Markdown table."
    package static let titleMark: StaticString = "## "

    package let style: RecordStyle
    package let title: String?
    private let headings: [String]
    private let isNumber: [Bool]
    private var hasBegun = false
    private var cells: [String] = []

    package init(_ fields: RecordFields, _ style: RecordStyle) {
        headings = fields.labels.map { Self.escaped(DisplayWidth.printable($0)) }
        isNumber = fields.isNumber
        self.style = style
        title = fields.title
    }

    package func add(_ cell: UnsafeRawBufferPointer) {
        cells.append(Self.escaped(DisplayWidth.printable(cell)))
    }

    package func endRow(to out: inout ByteBuffer) {
        beginTable(to: &out)
        append(cells, to: &out)
        cells.removeAll(keepingCapacity: true)
    }

    package func finish(to out: inout ByteBuffer) { beginTable(to: &out) }

    private func beginTable(to out: inout ByteBuffer) {
        if hasBegun || !style.hasHeader { return }
        hasBegun = true
        append(headings, to: &out)
        append(isNumber.map { $0 ? "---:" : "---" }, to: &out)
    }

    private func append(_ cells: [String], to out: inout ByteBuffer) {
        for cell in cells { out.append(cell.isEmpty ? "| " : "| \(cell) ") }
        out.append("|\n")
    }

    /// Inserts a backslash before characters that would end the cell or have a meaning in Markdown.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if "|\\<*`".unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
