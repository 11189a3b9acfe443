extension ByteBuffer {
    /// Appends a quoted JSON string, in which only the characters are escaped that JSON requires.
    /// Replaces ill-formed UTF-8 by U+FFFD, so the result is always valid JSON, and returns false
    /// in that case.
    @discardableResult
    package mutating func append(json text: ByteView) -> Bool {
        append(UInt8(ascii: "\""))
        var position = 0
        var isWellFormed = true
        while position < text.count {
            let rest = text.base + position
            let count = min(16, text.count &- position)
            let chunk = ByteChunk(rest, count: count)
            chunk.store(to: reserve(16))
            let special = chunk.marks { word in
                // The second term marks control characters, because the subtraction borrows from
                // their top bit. Bytes beyond ASCII are marked by the first term, whatever the
                // other terms give for them.
                word | (word &- ByteChunk.repeated(0x20))
                    | ((word ^ ByteChunk.repeated(UInt8(ascii: "\""))) &- ByteChunk.repeated(1))
                    | ((word ^ ByteChunk.repeated(UInt8(ascii: "\\"))) &- ByteChunk.repeated(1))
            }
            let clean = min(ByteChunk.first(special), count)
            advance(by: clean)
            position &+= clean
            if clean < count {
                position &+= appendSpecial(
                    text.base + position, text.count &- position, &isWellFormed)
            }
        }
        append(UInt8(ascii: "\""))
        return isWellFormed
    }

    /// Appends a number. NaN and infinities are appended as the strings "NaN", "Infinity" and
    /// "-Infinity".
    package mutating func append(json value: Double) {
        let isFinite = value.isFinite
        if !isFinite { append(UInt8(ascii: "\"")) }
        append(number: value)
        if !isFinite { append(UInt8(ascii: "\"")) }
    }

    /// Appends a number. NaN and infinities are appended as the strings "NaN", "Infinity" and
    /// "-Infinity".
    package mutating func append(json value: Float) {
        let isFinite = value.isFinite
        if !isFinite { append(UInt8(ascii: "\"")) }
        append(number: value)
        if !isFinite { append(UInt8(ascii: "\"")) }
    }

    /// Appends characters that are escaped or beyond ASCII, up to the next ordinary ASCII
    /// character. Returns the number of bytes read. One call handles a whole run of text beyond
    /// ASCII.
    private mutating func appendSpecial(
        _ base: UnsafeRawPointer, _ count: Int, _ isWellFormed: inout Bool
    ) -> Int {
        var position = 0
        while position < count {
            let byte = base.load(fromByteOffset: position, as: UInt8.self)
            if byte >= 0x80 {
                let sequence = UTF8Sequence(base + position, count: count &- position)
                if sequence.isWellFormed {
                    append(base + position, sequence.length)
                } else {
                    append("\u{FFFD}")
                    isWellFormed = false
                }
                position &+= sequence.length
            } else if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                appendEscape(byte)
                position &+= 1
            } else {
                break
            }
        }
        return position
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        case 0x08: append("\\b")
        case 0x0C: append("\\f")
        default:
            append("\\u00")
            append(hexByte: byte)
        }
    }
}
