extension ByteBuffer {
    /// Appends a field of a CSV file (RFC 4180). It is quoted if it contains a comma, the
    /// separator, a quotation mark or a line break. The empty string is `""`, because an empty
    /// field means null.
    package mutating func append(csv text: ByteView, separator: UInt8 = UInt8(ascii: ",")) {
        if text.count == 0 {
            append("\"\"")
            return
        }
        let start = count
        if appendPlain(text, until: ByteChunk.isSpecialInCSV) == text.count,
            separator == UInt8(ascii: ",") || !text.buffer.contains(separator)
        {
            return
        }
        truncate(to: start)
        append(UInt8(ascii: "\""))
        var position = 0
        while position < text.count {
            position &+= appendPlain(text.dropping(position), until: ByteChunk.isQuote)
            if position < text.count {
                append("\"\"")
                position &+= 1
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a field of a TSV file. It is never quoted: tab, line feed, carriage return and
    /// backslash are written as `\t`, `\n`, `\r` and `\\`. Null is `\N`, which no string is written
    /// as.
    package mutating func append(tsv text: ByteView) {
        var position = 0
        while position < text.count {
            position &+= appendPlain(text.dropping(position), until: ByteChunk.isSpecialInTSV)
            if position < text.count {
                switch text[position] {
                case UInt8(ascii: "\t"): append("\\t")
                case UInt8(ascii: "\n"): append("\\n")
                case UInt8(ascii: "\r"): append("\\r")
                default: append("\\\\")
                }
                position &+= 1
            }
        }
    }

    /// Appends a string literal of SQL, with quotation marks doubled. Returns false and appends
    /// nothing if the text is not UTF-8, or contains a NUL or a carriage return: some SQL programs
    /// do not preserve these.
    package mutating func append(sql text: ByteView) -> Bool {
        let start = count
        append(UInt8(ascii: "'"))
        var position = 0
        while position < text.count {
            position &+= appendPlain(text.dropping(position), until: ByteChunk.isSpecialInSQL)
            if position == text.count { break }
            let rest = text.dropping(position)
            switch rest[0] {
            case UInt8(ascii: "'"):
                append("''")
                position &+= 1
            case 0x80...:
                let sequence = UTF8Sequence(rest.base, count: rest.count)
                guard sequence.isWellFormed else { return abandon(start) }
                append(rest.base, sequence.length)
                position &+= sequence.length
            default: return abandon(start)
            }
        }
        append(UInt8(ascii: "'"))
        return true
    }

    private mutating func abandon(_ start: Int) -> Bool {
        truncate(to: start)
        return false
    }

    /// Appends the bytes of `text` before its first special byte, and returns their number.
    /// `special` marks the special bytes in a word of eight bytes, as for `ByteChunk.marks`.
    @inline(__always)
    private mutating func appendPlain(
        _ text: ByteView, until special: (UInt64) -> UInt64
    ) -> Int {
        var position = 0
        while position < text.count {
            let count = min(16, text.count &- position)
            let chunk = ByteChunk(text.base + position, count: count)
            chunk.store(to: reserve(16))
            let clean = min(ByteChunk.first(chunk.marks(special)), count)
            advance(by: clean)
            position &+= clean
            if clean < count { break }
        }
        return position
    }
}

extension ByteView {
    /// Returns the view without its first `count` bytes.
    @inline(__always)
    func dropping(_ count: Int) -> ByteView {
        assert(count <= self.count)
        return ByteView(base + count, count: self.count &- count)
    }
}

extension ByteChunk {
    @inline(__always)
    fileprivate static func isQuote(_ word: UInt64) -> UInt64 {
        equal(word, UInt8(ascii: "\""))
    }

    @inline(__always)
    fileprivate static func isSpecialInCSV(_ word: UInt64) -> UInt64 {
        equal(word, UInt8(ascii: ",")) | equal(word, UInt8(ascii: "\""))
            | equal(word, UInt8(ascii: "\n")) | equal(word, UInt8(ascii: "\r"))
    }

    /// Marks quotation marks, NULs, carriage returns, and all bytes beyond ASCII, because these
    /// must be checked to be UTF-8.
    @inline(__always)
    fileprivate static func isSpecialInSQL(_ word: UInt64) -> UInt64 {
        word | equal(word, UInt8(ascii: "'")) | equal(word, 0) | equal(word, UInt8(ascii: "\r"))
    }

    @inline(__always)
    fileprivate static func isSpecialInTSV(_ word: UInt64) -> UInt64 {
        equal(word, UInt8(ascii: "\t")) | equal(word, UInt8(ascii: "\n"))
            | equal(word, UInt8(ascii: "\r")) | equal(word, UInt8(ascii: "\\"))
    }
}
