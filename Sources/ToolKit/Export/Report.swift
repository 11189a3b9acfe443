import RealmEngine

/// A small table of results in memory, which can be printed in any output format: classes,
/// properties, digests.
package struct Report {
    package typealias Cell = JSONItem

    /// Member names and column headings. Scripts depend on them, so they must not change.
    package var names: [String]
    package var rows: [[Cell]] = []
    /// Headings of the table that is printed for people; nil for a table without headings.
    package var tableHeadings: [String]?
    /// Rows as they are printed for people; empty if they equal `rows`.
    package var tableRows: [[Cell]] = []
    package var isNumber: [Bool]

    package init(
        names: [String], rows: [[Cell]] = [], tableHeadings: [String]? = nil,
        tableRows: [[Cell]] = [], isNumber: [Bool]
    ) {
        self.names = names
        self.rows = rows
        self.tableHeadings = tableHeadings
        self.tableRows = tableRows
        self.isNumber = isNumber
    }

    /// Creates a table that is printed for people only.
    package init(headings: [String], isNumber: [Bool], rows: [[Cell]]) {
        self.init(names: headings, rows: rows, tableHeadings: headings, isNumber: isNumber)
    }

    /// Creates a table that is printed for people only. All columns but the first are numbers.
    package init(figures headings: [String], rows: [[Cell]]) {
        self.init(headings: headings, isNumber: headings.indices.map { $0 > 0 }, rows: rows)
    }

    /// Adds a first column with the same cell in all rows.
    package mutating func insert(_ cell: Cell, as name: String) {
        names.insert(name, at: 0)
        tableHeadings?.insert(name, at: 0)
        isNumber.insert(false, at: 0)
        rows = rows.map { [cell] + $0 }
        tableRows = tableRows.map { [cell] + $0 }
    }

    /// Adds the rows of a report with the same columns.
    package mutating func append(_ other: Report) {
        rows += other.rows
        tableRows += other.tableRows
    }

    /// Appends the report in the form of `style`.
    package func append(_ style: RecordStyle, to out: inout ByteBuffer) {
        var style = style
        let isLayout = style.form.isLayout
        if tableHeadings == nil, style.form == TableForm.self { style.hasHeader = false }
        if isLayout, style.null == nil { style.null = Array("-".utf8) }
        style.areRowsInMemory = true
        let form = style.form.init(
            RecordFields(isLayout ? tableHeadings ?? names : names, isNumber: isNumber), style)
        let record = ReportRecord(names, CellText(style))
        form.begin(isFirst: true, to: &out)
        let start = out.count
        let shown = isLayout && !tableRows.isEmpty ? tableRows : rows
        for row in shown {
            record.row = row
            do throws(RealmError) { try form.append(record, to: &out) } catch {
                preconditionFailure("facts in memory are always read")
            }
        }
        if !shown.isEmpty { style.form.beginOutput(&out, at: start) }
        form.finish(to: &out)
        style.form.endOutput(isEmpty: shown.isEmpty, to: &out)
    }
}

/// A row of a report, as an output format reads it.
private final class ReportRecord: RecordContent {
    var row: [Report.Cell] = []
    private let names: [String]
    private let text: CellText

    init(_ names: [String], _ text: CellText) {
        self.names = names
        self.text = text
    }

    func appendObject(to out: inout ByteBuffer) {
        for (position, (name, cell)) in zip(names, row).enumerated() {
            out.append(position == 0 ? "{" : ",")
            out.append(json: name)
            out.append(":")
            cell.append(to: &out)
        }
        out.append("}")
    }

    func appendCells(separator: UInt8, to out: inout ByteBuffer) {
        for (position, cell) in row.enumerated() {
            if position > 0 { out.append(separator) }
            append(cell, to: &out)
        }
    }

    func forEachCell(_ body: (UnsafeRawBufferPointer) -> Void) {
        var bytes = ByteBuffer(capacity: 256)
        for cell in row {
            bytes.removeAll()
            append(cell, to: &bytes)
            body(bytes.bytes)
        }
    }

    private func append(_ cell: Report.Cell, to out: inout ByteBuffer) {
        switch cell {
        case .null: out.append(text.null)
        case .text(let words): text.append(words, to: &out)
        case .flag, .number, .literal: cell.append(to: &out)
        case .list, .lines, .object:
            var json = ByteBuffer(capacity: 256)
            cell.append(to: &json)
            text.append(json.string, to: &out)
        }
    }
}
