/// Width of text on a terminal, in columns.
package enum DisplayWidth {
    /// Number of columns of a scalar: 0 for combining marks, 2 for wide characters, otherwise 1.
    package static func columns(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(value) ? 2 : 1
        }
    }

    package static func columns(_ text: String) -> Int {
        let utf8 = text.utf8
        // Fast path for ASCII.
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + columns($1) }
    }

    /// The longest prefix of `text` that fits into `limit` columns. If the text is cut, the prefix
    /// ends with an ellipsis.
    static func fitting(_ text: String, _ limit: Int) -> String {
        if columns(text) <= limit { return text }
        var kept = String.UnicodeScalarView()
        var used = 1
        for scalar in text.unicodeScalars {
            used += columns(scalar)
            if used > limit { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// Whether the scalar is in an East Asian wide or fullwidth block, or an emoji.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// Converts bytes to text that is safe to print on a terminal: control characters are escaped,
    /// and ill-formed UTF-8 becomes U+FFFD.
    package static func printable(_ bytes: UnsafeRawBufferPointer) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = ""
        for scalar in text.unicodeScalars { append(scalar, to: &result) }
        return result
    }

    package static func printable(_ text: String) -> String {
        var text = text
        return text.withUTF8 { printable(UnsafeRawBufferPointer($0)) }
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        switch scalar {
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _
        where scalar.properties.generalCategory == .control
            || isDirectionControl(scalar.value):
            let hex = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        default: text.unicodeScalars.append(scalar)
        }
    }

    /// Whether the scalar is a control character that changes the writing direction of the text
    /// after it.
    private static func isDirectionControl(_ value: UInt32) -> Bool {
        (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
}
