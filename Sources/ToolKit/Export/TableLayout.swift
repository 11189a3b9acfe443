import RealmEngine

/// Lays records out in columns for people. The first rows decide the widths; longer cells that come
/// later push the rest of their line to the right, or are cut where the width is limited.
package final class TableLayout {
    /// Rows that are looked at before the first is printed.
    static let sampleRows = 1000
    private static let sampleBytes = 1 << 20

    private let headings: [String]
    private let isNumber: [Bool]
    private let style: RecordStyle
    private var row: [String] = []
    private var held: [[String]] = []
    private var heldBytes = 0
    /// Nil until the widths are decided.
    private var widths: [Int]?

    package init(headings: [String], isNumber: [Bool], style: RecordStyle) {
        self.headings = headings.map { DisplayWidth.printable($0.uppercased()) }
        self.isNumber = isNumber
        self.style = style
    }

    package convenience init(_ plan: RecordPlan, _ style: RecordStyle) {
        self.init(
            headings: plan.fields.map(\.label), isNumber: plan.fields.map(\.isNumber), style: style)
    }

    /// Adds a cell to the present row.
    package func add(_ cell: UnsafeRawBufferPointer) { row.append(DisplayWidth.printable(cell)) }

    /// The present row is complete.
    package func endRow(to out: inout ByteBuffer) {
        defer { row.removeAll(keepingCapacity: true) }
        if let widths { return print(row, widths, to: &out) }
        held.append(row)
        heldBytes += row.reduce(0) { $0 + $1.utf8.count }
        if held.count >= Self.sampleRows || heldBytes >= Self.sampleBytes { settle(to: &out) }
    }

    /// Prints what is still held back.
    package func finish(to out: inout ByteBuffer) {
        if widths == nil { settle(to: &out) }
    }

    private func settle(to out: inout ByteBuffer) {
        var wanted = headings.map { style.hasHeader ? DisplayWidth.columns($0) : 0 }
        for row in held {
            for (i, cell) in row.enumerated() {
                wanted[i] = max(wanted[i], DisplayWidth.columns(cell))
            }
        }
        let widths = Self.fit(wanted, style.width)
        self.widths = widths
        if style.hasHeader { printHeadings(widths, to: &out) }
        for row in held { print(row, widths, to: &out) }
        held = []
    }

    /// Narrows the widest columns until the table fits, but none below eight.
    private static func fit(_ wanted: [Int], _ limit: Int?) -> [Int] {
        guard let limit else { return wanted }
        var widths = wanted
        let room = max(0, limit - 2 * (widths.count - 1))
        var excess = widths.reduce(0, +) - room
        while excess > 0, let widest = widths.max(), widest > 8 {
            let next = max(8, widths.filter { $0 < widest }.max() ?? 8)
            let columns = widths.indices.filter { widths[$0] == widest }
            let cut = max(1, min(widest - next, (excess + columns.count - 1) / columns.count))
            for i in columns { widths[i] -= cut }
            excess -= cut * columns.count
        }
        return widths
    }

    private func print(_ cells: [String], _ widths: [Int], to out: inout ByteBuffer) {
        for (i, cell) in cells.enumerated() {
            if i > 0 { out.append("  ") }
            let text = style.width == nil ? cell : DisplayWidth.fitting(cell, widths[i])
            let padding = max(0, widths[i] - DisplayWidth.columns(text))
            if isNumber[i] { out.appendSpaces(padding) }
            out.append(text)
            if !isNumber[i], i + 1 < cells.count { out.appendSpaces(padding) }
        }
        out.append(style.terminator)
    }

    private func printHeadings(_ widths: [Int], to out: inout ByteBuffer) {
        guard style.isColored else { return print(headings, widths, to: &out) }
        out.append("\u{1B}[1m")
        print(headings, widths, to: &out)
        out.append("\u{1B}[0m")
    }
}

extension ByteBuffer {
    fileprivate mutating func appendSpaces(_ count: Int) {
        for _ in 0..<count { append(UInt8(ascii: " ")) }
    }
}
