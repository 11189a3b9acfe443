import RealmEngine

/// A short list of facts, held in memory and printed in any format: classes, properties, digests.
package struct Report {
    package enum Cell {
        case null
        case number(Int)
        case bool(Bool)
        case text(String)
        /// A number's text, never quoted.
        case literal(String)
    }

    /// Member names and column headings; they are part of the tool's interface.
    package var names: [String]
    package var rows: [[Cell]] = []
    /// What a table shows instead, for people.
    package var tableHeadings: [String]?
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

    /// Appends all of it.
    package func append(_ style: RecordStyle, null: [UInt8]?, to out: inout ByteBuffer) {
        switch style.format {
        case .ndjson, .raw, .sql:
            for row in rows {
                appendObject(row, to: &out)
                out.append(style.terminator)
            }
        case .json: appendArray(to: &out)
        case .csv, .tsv:
            style.appendMark(to: &out)
            if style.hasHeader { appendLine(names.map(Cell.text), style, null, to: &out) }
            for row in rows { appendLine(row, style, null, to: &out) }
        case .table, .line, .markdown: appendLayout(style, null, to: &out)
        }
    }

    private func appendArray(to out: inout ByteBuffer) {
        out.append("[")
        for (position, row) in rows.enumerated() {
            if position > 0 { out.append(",\n") }
            appendObject(row, to: &out)
        }
        out.append("]\n")
    }

    private func appendObject(_ row: [Cell], to out: inout ByteBuffer) {
        for (position, (name, cell)) in zip(names, row).enumerated() {
            out.append(position == 0 ? "{" : ",")
            out.append(json: name)
            out.append(":")
            switch cell {
            case .null: out.append("null")
            case .number(let number): out.append(number: number)
            case .bool(let flag): out.append(flag)
            case .text(let text): out.append(json: text)
            case .literal(let text): out.append(text)
            }
        }
        out.append("}")
    }

    private func appendLine(
        _ row: [Cell], _ style: RecordStyle, _ null: [UInt8]?, to out: inout ByteBuffer
    ) {
        let isCSV = style.format == .csv
        for (position, cell) in row.enumerated() {
            if position > 0 { out.append(style.separator) }
            switch cell {
            case .null: out.append(null ?? (isCSV ? [] : Array("\\N".utf8)))
            case .number(let number): out.append(number: number)
            case .bool(let flag): out.append(flag)
            case .literal(let text): out.append(text)
            case .text(var text):
                text.withUTF8 { utf8 in
                    out.withView(UnsafeRawBufferPointer(utf8)) { out, view in
                        if isCSV {
                            out.append(csv: view, separator: style.separator)
                        } else {
                            out.append(tsv: view)
                        }
                    }
                }
            }
        }
        style.appendLineEnd(to: &out)
    }

    private func appendLayout(
        _ style: RecordStyle, _ null: [UInt8]?, to out: inout ByteBuffer
    ) {
        var style = style
        if tableHeadings == nil, style.format == .table { style.hasHeader = false }
        let headings = tableHeadings ?? names
        let numbers = headings.indices.map { isNumber.indices.contains($0) && isNumber[$0] }
        let layout = style.layout(headings, isNumber: numbers)
        for row in tableRows.isEmpty ? rows : tableRows {
            for cell in row { layout?.add(Self.bytes(cell, null)) }
            layout?.endRow(to: &out)
        }
        layout?.finish(to: &out)
    }

    private static func bytes(_ cell: Cell, _ null: [UInt8]?) -> [UInt8] {
        switch cell {
        case .null: null ?? Array("-".utf8)
        case .number(let number): Array(String(number).utf8)
        case .bool(let flag): Array(String(flag).utf8)
        case .text(let text), .literal(let text): Array(text.utf8)
        }
    }
}

extension ByteBuffer {
    /// Calls `body` with a view of `bytes`, which may be empty and have no address.
    fileprivate mutating func withView(
        _ bytes: UnsafeRawBufferPointer, _ body: (inout ByteBuffer, ByteView) -> Void
    ) {
        if let base = bytes.baseAddress {
            body(&self, ByteView(base, count: bytes.count))
        } else {
            withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { room in
                body(&self, ByteView(room.baseAddress!, count: 0))
            }
        }
    }
}
