#if arch(x86_64) && !PORTABLE
    import _Builtin_intrinsics.intel
#endif

/// One field of a row. Its text is in the input, or in memory for decoded fields.
struct DelimitedField {
    var base: UnsafePointer<UInt8>
    var length: Int
    var isNull = false
    /// Whether the field contains doubled quotation marks or backslash escapes.
    var isEscaped = false
}

/// A syntax error in a row of CSV or TSV, at an offset in the row.
struct DelimitedFault: Error {
    enum Kind: UInt8 {
        case quoteInside, textBehindQuote, unclosedQuote, carriageReturn, escape, utf8
    }

    let kind: Kind
    let offset: Int

    init(_ kind: Kind, _ offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

/// Splits a row of CSV or TSV into fields. At least 64 readable bytes must follow the row, as in an
/// `InputWindow`.
struct DelimitedScan {
    let escapes: Dialect.Escapes
    let separator: UInt8
    let p: UnsafePointer<UInt8>
    let end: Int
    /// Whether the bytes up to `end` are the last ones of the input.
    let isFinal: Bool
    private(set) var hasNonASCII = false

    init(_ dialect: Dialect, _ p: UnsafePointer<UInt8>, end: Int, isFinal: Bool) {
        escapes = dialect.escapes
        separator = dialect.separator
        self.p = p
        self.end = end
        self.isFinal = isFinal
    }

    /// Scans the field at `i` and moves `i` past it. Returns false if more bytes are needed.
    @inline(__always)
    mutating func field(
        _ i: inout Int, _ field: inout DelimitedField
    ) throws(DelimitedFault) -> Bool {
        field.base = p + i
        field.isNull = false
        field.isEscaped = false
        if escapes == .backslashes { return try tabField(&i, &field) }
        if i < end && p[i] == UInt8(ascii: "\"") { return try quotedField(&i, &field) }
        let start = i
        i = find(from: i, separator, 10, 13, UInt8(ascii: "\""))
        if i < end && p[i] == UInt8(ascii: "\"") { throw DelimitedFault(.quoteInside, i) }
        field.length = i &- start
        field.isNull = i == start
        return i < end || isFinal
    }

    @inline(__always)
    private mutating func quotedField(
        _ i: inout Int, _ field: inout DelimitedField
    ) throws(DelimitedFault) -> Bool {
        let start = i &+ 1
        i = start
        let quote = UInt8(ascii: "\"")
        while true {
            i = find(from: i, quote, quote, quote, quote)
            if i >= end {
                if isFinal { throw DelimitedFault(.unclosedQuote, start &- 1) }
                return false
            }
            // The next byte, which is not read yet, may be a second quotation mark.
            if i &+ 1 == end && !isFinal { return false }
            if i &+ 1 == end || p[i &+ 1] != quote { break }
            field.isEscaped = true
            i &+= 2
        }
        field.base = p + start
        field.length = i &- start
        i &+= 1
        let isClosed = i >= end || p[i] == separator || p[i] == 10 || p[i] == 13
        guard isClosed else { throw DelimitedFault(.textBehindQuote, i) }
        return i < end || isFinal
    }

    @inline(__always)
    private mutating func tabField(
        _ i: inout Int, _ field: inout DelimitedField
    ) throws(DelimitedFault) -> Bool {
        let start = i
        while true {
            i = find(from: i, 9, 10, 13, UInt8(ascii: "\\"))
            if i >= end || p[i] != UInt8(ascii: "\\") { break }
            // The two bytes after the backslash decide whether it is an escape.
            if i &+ 2 >= end && !isFinal { return false }
            try escape(i, start, &field)
            i &+= 2
        }
        field.length = i &- start
        if field.isNull { field.length = 0 }
        return i < end || isFinal
    }

    private func escape(
        _ i: Int, _ start: Int, _ field: inout DelimitedField
    ) throws(DelimitedFault) {
        switch i &+ 1 < end ? p[i &+ 1] : 0 {
        case UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "\\"):
            field.isEscaped = true
        case UInt8(ascii: "N") where i == start && isFieldEnd(i &+ 2):
            field.isNull = true
        default:
            throw DelimitedFault(.escape, i &+ 1)
        }
    }

    private func isFieldEnd(_ i: Int) -> Bool {
        i >= end || p[i] == 9 || p[i] == 10 || p[i] == 13
    }

    /// Returns the position of the first byte that equals `a`, `b`, `c` or `d`; `end` if none does.
    @inline(__always)
    private mutating func find(
        from start: Int, _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8
    ) -> Int {
        var i = start
        while i < end {
            let mask = match(UnsafeRawPointer(p + i), a, b, c, d)
            if mask != 0 { return min(i &+ mask.trailingZeroBitCount, end) }
            i &+= 16
        }
        return end
    }

    /// Returns a mask of 16 bits, one for each byte from `p` on: 1 if the byte equals `a`, `b`, `c`
    /// or `d`. Sets `hasNonASCII` if one of the 16 bytes is not ASCII.
    @inline(__always)
    private mutating func match(
        _ p: UnsafeRawPointer, _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8
    ) -> Int32 {
        #if arch(x86_64) && !PORTABLE
            let bytes = p.loadUnaligned(as: __m128i.self)
            let isAB = _mm_or_si128(equal(bytes, a), equal(bytes, b))
            let isCD = _mm_or_si128(equal(bytes, c), equal(bytes, d))
            if _mm_movemask_epi8(bytes) != 0 { hasNonASCII = true }
            return _mm_movemask_epi8(_mm_or_si128(isAB, isCD))
        #else
            var mask: Int32 = 0
            for lane in 0..<16 {
                let byte = p.load(fromByteOffset: lane, as: UInt8.self)
                if byte >= 0x80 { hasNonASCII = true }
                if byte == a || byte == b || byte == c || byte == d { mask |= 1 << Int32(lane) }
            }
            return mask
        #endif
    }

    #if arch(x86_64) && !PORTABLE
        @inline(__always)
        private func equal(_ bytes: __m128i, _ byte: UInt8) -> __m128i {
            _mm_cmpeq_epi8(bytes, _mm_set1_epi8(CChar(bitPattern: byte)))
        }
    #endif

    /// Checks that a whole row is UTF-8. Called if the row contains a byte that is not ASCII.
    func validate(upTo rowEnd: Int) throws(DelimitedFault) {
        var i = 0
        while i < rowEnd {
            if p[i] < 0x80 {
                i &+= 1
            } else if let after = try? JSONScan.sequence(p, i), after <= rowEnd {
                i = after
            } else {
                throw DelimitedFault(.utf8, i)
            }
        }
    }
}

extension DelimitedField {
    /// The text with doubled quotation marks or backslash escapes decoded.
    func unescaped(_ escapes: Dialect.Escapes, in scratch: ScratchArena) -> DelimitedField {
        let out = scratch.allocate(length).assumingMemoryBound(to: UInt8.self)
        var written = 0
        var i = 0
        while i < length {
            var byte = base[i]
            if escapes == .quotes && byte == UInt8(ascii: "\"") {
                i += 1
            } else if escapes == .backslashes && byte == UInt8(ascii: "\\") {
                i += 1
                switch base[i] {
                case UInt8(ascii: "t"): byte = 9
                case UInt8(ascii: "n"): byte = 10
                case UInt8(ascii: "r"): byte = 13
                default: break
                }
            }
            out[written] = byte
            written += 1
            i += 1
        }
        return DelimitedField(base: UnsafePointer(out), length: written)
    }
}
