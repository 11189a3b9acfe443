import RealmEngine
import RealmRecords

/// Writes strings as SQL literals.
struct SQLText {
    private let dialect: SQLDialect

    init(_ dialect: SQLDialect) { self.dialect = dialect }

    /// Appends a text as an SQL literal.
    ///
    /// - Parameter isJSON: whether the text is JSON, which needs no exact notation.
    @inline(__always)
    func append(_ text: ByteView, isJSON: Bool = false, to out: inout ByteBuffer) {
        if dialect != .sqlite, !isJSON, SpelledString.looksSpelled(text) {
            return appendSpelled(text, to: &out)
        }
        if !out.append(sql: text) { appendSpecial(text, to: &out) }
    }

    /// Appends a text that contains bytes which a plain SQL literal would not preserve.
    private func appendSpecial(_ text: ByteView, to out: inout ByteBuffer) {
        let isUTF8 = text.isUTF8
        switch dialect {
        case .sqlite:
            out.append(isUTF8 ? "CAST(X'" : "X'")
            out.append(hex: text)
            out.append(isUTF8 ? "' AS TEXT)" : "'")
        case .postgres:
            if !isUTF8 || text.contains(0) { return appendSpelled(text, to: &out) }
            appendPieces(text, "E'", "'", to: &out) { byte, out in
                switch byte {
                case UInt8(ascii: "\r"): out.append("\\r")
                case UInt8(ascii: "\\"): out.append("\\\\")
                case UInt8(ascii: "'"): out.append("''")
                default: out.append(byte)
                }
            }
        case .duckdb:
            if !isUTF8 { return appendSpelled(text, to: &out) }
            appendPieces(text, "('", "')", to: &out) { byte, out in
                switch byte {
                case UInt8(ascii: "\r"): out.append("'||chr(13)||'")
                case 0: out.append("'||chr(0)||'")
                case UInt8(ascii: "'"): out.append("''")
                default: out.append(byte)
                }
            }
        }
    }

    private func appendPieces(
        _ text: ByteView, _ opening: StaticString, _ closing: StaticString,
        to out: inout ByteBuffer, _ piece: (UInt8, inout ByteBuffer) -> Void
    ) {
        out.append(opening)
        for i in 0..<text.count { piece(text[i], &out) }
        out.append(closing)
    }

    /// Appends a text in the exact notation of csv cells (`SpelledString`), which differs from
    /// ordinary text.
    private func appendSpelled(_ text: ByteView, to out: inout ByteBuffer) {
        var spelled = ByteBuffer(capacity: 256)
        spelled.append(spelled: text)
        _ = out.append(sql: ByteView(spelled.bytes.baseAddress!, count: spelled.count))
    }
}

extension ByteView {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        for i in 0..<count where self[i] == byte { return true }
        return false
    }
}
