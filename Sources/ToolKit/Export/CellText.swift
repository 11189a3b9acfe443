import RealmEngine

/// Rules of an output format for quoting cells.
package struct CellRules: Sendable {
    package enum Escape: Sendable {
        case none
        /// Quotation marks around a cell that contains a separator, a quotation mark or a line end.
        case quotes
        /// A backslash before tabs, line ends and backslashes.
        case backslashes
    }

    let escape: Escape
    /// Text of null, unless `--null` gives another text.
    let null: [UInt8]
    /// Byte between cells, unless the command gives another byte.
    let separator: UInt8
    /// Whether text that is not UTF-8 is printed unchanged.
    let keepsBytes: Bool

    init(
        escape: Escape = .none, null: [UInt8] = Array("null".utf8), keepsBytes: Bool = false
    ) {
        self.escape = escape
        self.null = null
        separator = escape == .backslashes ? UInt8(ascii: "\t") : UInt8(ascii: ",")
        self.keepsBytes = keepsBytes
    }

    /// Whether cells are the fields of a csv or tsv line, which `realm-write` reads.
    package var isDelimited: Bool { escape != .none }
}

/// Writes the text of cells by the rules of the output format and the options of the command.
struct CellText {
    let escape: CellRules.Escape
    let separator: UInt8
    let null: [UInt8]
    /// Whether `--null` is given.
    let isNullGiven: Bool
    /// Whether `--null` gives another text than the output format has by default.
    let isNullChosen: Bool
    /// Whether a text that equals the text of null needs quotation marks.
    private let quotesNull: Bool

    init(_ style: RecordStyle) {
        let rules = style.form.cells
        escape = rules.escape
        separator = style.delimiter ?? rules.separator
        null = style.null ?? rules.null
        isNullGiven = style.null != nil
        isNullChosen = null != rules.null
        quotesNull = isNullGiven && rules.escape == .quotes
    }

    @inline(__always)
    func append(_ text: ByteView, to out: inout ByteBuffer) {
        switch escape {
        case .quotes:
            let start = out.count
            out.append(csv: text, separator: separator)
            quoteNull(from: start, in: &out)
        case .backslashes: out.append(tsv: text)
        case .none: out.append(text)
        }
    }

    func append(_ text: String, to out: inout ByteBuffer) {
        var text = text
        text.withUTF8 { utf8 in
            withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { empty in
                let base =
                    UnsafeRawPointer(utf8.baseAddress) ?? UnsafeRawPointer(empty.baseAddress!)
                append(ByteView(base, count: utf8.count), to: &out)
            }
        }
    }

    /// Adds quotation marks to the cell that begins at `start` if its text equals the text of null.
    @inline(__always)
    func quoteNull(from start: Int, in out: inout ByteBuffer) {
        if quotesNull { out.quote(from: start, ifEqual: null) }
    }
}

extension ByteBuffer {
    fileprivate mutating func quote(from start: Int, ifEqual null: [UInt8]) {
        guard count - start == null.count, bytes[start...].elementsEqual(null) else { return }
        truncate(to: start)
        append("\"")
        append(null)
        append("\"")
    }
}
