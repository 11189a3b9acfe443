import RealmEngine

/// Puts cells of text in a form for people. Confined to one thread.
package protocol RowLayout: AnyObject {
    /// Adds a cell to the present row.
    func add(_ cell: UnsafeRawBufferPointer)

    /// The present row is complete.
    func endRow(to out: inout ByteBuffer)

    /// Prints what is still held back.
    func finish(to out: inout ByteBuffer)
}

extension RowLayout {
    package func add(_ cell: [UInt8]) { cell.withUnsafeBytes { add($0) } }
}

extension RecordStyle {
    /// The layout of the format; nil for those that are no layout of rows.
    package func layout(_ headings: [String], isNumber: [Bool]) -> (any RowLayout)? {
        switch format {
        case .table: TableLayout(headings: headings, isNumber: isNumber, style: self)
        case .line: LineLayout(headings, self)
        case .markdown: MarkdownLayout(headings, isNumber, self)
        default: nil
        }
    }
}

extension RecordFormat {
    /// For people, by a layout.
    package var isLayout: Bool { self == .table || self == .line || self == .markdown }
}

/// A field a line, an empty line between records: for those with many fields.
package final class LineLayout: RowLayout {
    private let labels: [String]
    private let terminator: UInt8
    private var field = 0
    private var isFirst = true
    private var row = ByteBuffer(capacity: 1024)

    init(_ headings: [String], _ style: RecordStyle) {
        let names = headings.map { DisplayWidth.printable($0) }
        let width = names.map(DisplayWidth.columns).max() ?? 0
        labels = names.map {
            String(repeating: " ", count: width - DisplayWidth.columns($0)) + $0 + " = "
        }
        terminator = style.terminator
    }

    package func add(_ cell: UnsafeRawBufferPointer) {
        row.append(labels[field])
        row.append(DisplayWidth.printable(cell))
        row.append(terminator)
        field += 1
    }

    package func endRow(to out: inout ByteBuffer) {
        if !isFirst { out.append(terminator) }
        out.append(row.bytes)
        row.removeAll()
        (isFirst, field) = (false, 0)
    }

    package func finish(to out: inout ByteBuffer) {}
}

/// A table as Markdown has it.
package final class MarkdownLayout: RowLayout {
    private let headings: [String]
    private let isNumber: [Bool]
    private let hasHeader: Bool
    private var hasBegun = false
    private var cells: [String] = []

    init(_ headings: [String], _ isNumber: [Bool], _ style: RecordStyle) {
        self.headings = headings.map { Self.escaped(DisplayWidth.printable($0)) }
        self.isNumber = isNumber
        hasHeader = style.hasHeader
    }

    package func add(_ cell: UnsafeRawBufferPointer) {
        cells.append(Self.escaped(DisplayWidth.printable(cell)))
    }

    package func endRow(to out: inout ByteBuffer) {
        begin(to: &out)
        append(cells, to: &out)
        cells.removeAll(keepingCapacity: true)
    }

    package func finish(to out: inout ByteBuffer) { begin(to: &out) }

    private func begin(to out: inout ByteBuffer) {
        if hasBegun || !hasHeader { return }
        hasBegun = true
        append(headings, to: &out)
        append(
            headings.indices.map { isNumber.indices.contains($0) && isNumber[$0] ? "---:" : "---" },
            to: &out)
    }

    private func append(_ cells: [String], to out: inout ByteBuffer) {
        for cell in cells { out.append(cell.isEmpty ? "| " : "| \(cell) ") }
        out.append("|\n")
    }

    /// What would end the cell, or become something else in it, behind a backslash.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if "|\\<*`".unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
