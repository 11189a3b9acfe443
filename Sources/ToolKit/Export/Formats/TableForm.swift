import RealmEngine

extension OutputFormat { package static let table = Self(rawValue: "table") }

/// Output format: a table for people. The first rows determine the widths of the columns. A longer
/// cell in a later row moves the rest of its line to the right; if the width of the table is
/// limited, the cell is cut.
package final class TableForm: LayoutForm {
    package static let format = OutputFormat.table
    package static let manual =
        "Columns for people. The number of objects and the version follow on standard error. "
        + "Columns that do not fit the terminal are left out, and standard error names them. "
        + "Numbers and dates are never truncated."
    package static let separatesTitle = false

    /// Number of rows that are examined before the first is printed.
    static let sampleRows = 1000
    private static let sampleBytes = 1 << 20

    private let names: [String]
    private let headings: [String]
    private let isNumber: [Bool]
    package let style: RecordStyle
    package let title: String?
    private var row: [String] = []
    private var bufferedRows: [[String]] = []
    private var bufferedBytes = 0
    /// Column widths; nil until they are determined.
    private var widths: [Int]?

    package init(_ fields: RecordFields, _ style: RecordStyle) {
        names = fields.labels
        headings = names.map { DisplayWidth.printable($0.uppercased()) }
        isNumber = fields.isNumber
        title = fields.title
        self.style = style
    }

    package func add(_ cell: UnsafeRawBufferPointer) { row.append(DisplayWidth.printable(cell)) }

    package func endRow(to out: inout ByteBuffer) {
        defer { row.removeAll(keepingCapacity: true) }
        if let widths { return print(row, widths, to: &out) }
        bufferedRows.append(row)
        bufferedBytes += row.reduce(0) { $0 + $1.utf8.count }
        if style.areRowsInMemory { return }
        if bufferedRows.count >= Self.sampleRows || bufferedBytes >= Self.sampleBytes {
            chooseWidths(to: &out)
        }
    }

    /// Prints the buffered rows, unless enough rows were appended to choose the column widths
    /// earlier.
    package func finish(to out: inout ByteBuffer) {
        if widths == nil { chooseWidths(to: &out) }
    }

    private func chooseWidths(to out: inout ByteBuffer) {
        var wanted = headings.map { style.hasHeader ? DisplayWidth.columns($0) : 0 }
        for row in bufferedRows {
            for (i, cell) in row.enumerated() {
                wanted[i] = max(wanted[i], DisplayWidth.columns(cell))
            }
        }
        let least = wanted.indices.map { self.least(wanted, $0) }
        let widths = Self.fit(wanted, least, style.width)
        if widths.count < names.count {
            style.notes.omitColumns(names[widths.count...].map { DisplayWidth.printable($0) })
        }
        self.widths = widths
        if style.hasHeader { printHeadings(widths, to: &out) }
        for row in bufferedRows { print(row, widths, to: &out) }
        bufferedRows = []
    }

    /// Returns the minimum width to which a column may be reduced in a table that is too wide. It
    /// is 8, or the full width for a column with dates or numbers, which must not be cut.
    private func least(_ wanted: [Int], _ column: Int) -> Int {
        let isDate = bufferedRows.contains { Self.looksLikeDate($0[column]) }
        return isDate || isNumber[column] ? wanted[column] : min(8, wanted[column])
    }

    private static func looksLikeDate(_ cell: String) -> Bool {
        let text = Array(cell.utf8)
        return text.count >= 20 && text.last == UInt8(ascii: "Z")
            && text.contains(UInt8(ascii: "T"))
            && text.dropFirst().prefix(9).allSatisfy {
                $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0)
            }
    }

    /// Reduces column widths until the table fits into `limit`. The widest columns are reduced
    /// first, but none below its minimum. Columns that do not fit are left out.
    private static func fit(_ wanted: [Int], _ least: [Int], _ limit: Int?) -> [Int] {
        guard let limit else { return wanted }
        var count = 1
        var used = least.first ?? 0
        while count < least.count, used + 2 + least[count] <= limit {
            used += 2 + least[count]
            count += 1
        }
        var widths = Array(wanted.prefix(count))
        var excess = widths.reduce(0, +) + 2 * (count - 1) - limit
        while excess > 0 {
            let narrowed = widths.indices.filter { widths[$0] > least[$0] }
            guard let widest = narrowed.map({ widths[$0] }).max() else { break }
            let columns = narrowed.filter { widths[$0] == widest }
            let next =
                (narrowed.map { widths[$0] }.filter { $0 < widest } + columns.map { least[$0] })
                .max() ?? 0
            let cut = max(1, min(widest - next, (excess + columns.count - 1) / columns.count))
            for i in columns { widths[i] -= cut }
            excess -= cut * columns.count
        }
        return widths
    }

    private func print(_ cells: [String], _ widths: [Int], to out: inout ByteBuffer) {
        for (i, cell) in cells.prefix(widths.count).enumerated() {
            if i > 0 { out.append("  ") }
            let text = style.width == nil ? cell : DisplayWidth.fitting(cell, widths[i])
            let padding = max(0, widths[i] - DisplayWidth.columns(text))
            if isNumber[i] { out.appendSpaces(padding) }
            out.append(text)
            if !isNumber[i], i + 1 < widths.count { out.appendSpaces(padding) }
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
