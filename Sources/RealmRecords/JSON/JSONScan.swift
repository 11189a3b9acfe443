#if arch(x86_64) && !PORTABLE
    import _Builtin_intrinsics.intel
#endif

/// Scanners for the tokens of JSON (RFC 8259). Each function takes the offset of a token and
/// returns the offset after it.
///
/// The functions check no bounds. A NUL and at least 63 more readable bytes must follow the input.
/// No token contains a NUL, so scanning stops there.
enum JSONScan {
    typealias Bytes = UnsafePointer<UInt8>

    @inline(__always)
    static func space(_ p: Bytes, _ start: Int) -> Int {
        var i = start
        while p[i] <= 0x20 {
            guard p[i] == 0x20 || p[i] == 0x0A || p[i] == 0x0D || p[i] == 0x09 else { break }
            i &+= 1
        }
        return i
    }

    /// Returns the offset of the closing quote of the string whose content begins at `start`.
    @inline(__always)
    static func string(
        _ p: Bytes, _ start: Int, _ flags: inout UInt8
    ) throws(JSONFault) -> Int {
        let i = stop(p, start)
        if p[i] == UInt8(ascii: "\"") { return i }
        return try stringFrom(p, i, &flags)
    }

    /// Continues the scan of a string that `string` has begun. The byte at `start` is a quotation
    /// mark, a backslash, a control character, or not ASCII.
    @inline(never)
    private static func stringFrom(
        _ p: Bytes, _ start: Int, _ flags: inout UInt8
    ) throws(JSONFault) -> Int {
        var i = start
        while true {
            switch p[i] {
            case UInt8(ascii: "\""):
                return i
            case UInt8(ascii: "\\"):
                flags |= JSONToken.escaped
                i = try escape(p, i)
            case 0x80...:
                repeat { i = try sequence(p, i) } while p[i] >= 0x80
            default:
                throw JSONFault(.control, i)
            }
            i = stop(p, i)
        }
    }

    /// Returns the offset of the next byte that is a quotation mark, a backslash, a control
    /// character, or not ASCII.
    @inline(__always)
    static func stop(_ p: Bytes, _ start: Int) -> Int {
        var i = start
        while true {
            let mask = specialBytes(UnsafeRawPointer(p + i))
            if mask != 0 { return i &+ mask.trailingZeroBitCount }
            i &+= 16
        }
    }

    /// Returns a mask of 16 bits, one for each byte from `p` on. A bit is 1 if the byte is a
    /// quotation mark, a backslash, a control character, or not ASCII.
    @inline(__always)
    private static func specialBytes(_ p: UnsafeRawPointer) -> Int32 {
        #if arch(x86_64) && !PORTABLE
            let bytes = p.loadUnaligned(as: __m128i.self)
            let quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x22))
            let backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5C))
            // The comparison is signed, so bytes from 0x80 on are also less than a space.
            let others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20))
            return _mm_movemask_epi8(_mm_or_si128(others, _mm_or_si128(quotes, backslashes)))
        #else
            let bytes = p.loadUnaligned(as: SIMD16<Int8>.self)
            let special = (bytes .< 0x20) .| (bytes .== 0x22) .| (bytes .== 0x5C)
            let bits = SIMD16<UInt8>(repeating: 0).replacing(with: bitOfLane, where: special)
            return Int32(bits.lowHalf.wrappedSum()) | Int32(bits.highHalf.wrappedSum()) << 8
        #endif
    }

    #if !arch(x86_64) || PORTABLE
        private static let bitOfLane = SIMD16<UInt8>(
            1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128)
    #endif

    /// Scans a multi-byte UTF-8 sequence by table 3-7 of the Unicode standard.
    @inline(__always)
    static func sequence(_ p: Bytes, _ i: Int) throws(JSONFault) -> Int {
        let lead = p[i]
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        let more: Int
        switch lead {
        case 0xC2...0xDF: more = 1
        case 0xE0...0xEF:
            more = 2
            if lead == 0xE0 { lowest = 0xA0 }
            if lead == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            more = 3
            if lead == 0xF0 { lowest = 0x90 }
            if lead == 0xF4 { highest = 0x8F }
        default: throw JSONFault(.utf8, i)
        }
        guard p[i &+ 1] >= lowest && p[i &+ 1] <= highest else { throw JSONFault(.utf8, i &+ 1) }
        var k = 2
        while k <= more {
            guard p[i &+ k] & 0xC0 == 0x80 else { throw JSONFault(.utf8, i &+ k) }
            k &+= 1
        }
        return i &+ more &+ 1
    }

    /// Scans an escape. A surrogate pair is scanned as one escape.
    private static func escape(_ p: Bytes, _ i: Int) throws(JSONFault) -> Int {
        switch p[i &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return i &+ 2
        case UInt8(ascii: "u"):
            let unit = try hexDigits(p, i &+ 2)
            if unit & 0xF800 != 0xD800 { return i &+ 6 }
            guard unit < 0xDC00 else { throw JSONFault(.loneSurrogate, i) }
            guard p[i &+ 6] == UInt8(ascii: "\\") else { throw JSONFault(.lowSurrogate, i &+ 6) }
            guard p[i &+ 7] == UInt8(ascii: "u") else { throw JSONFault(.lowSurrogate, i &+ 7) }
            let low = try hexDigits(p, i &+ 8)
            guard low & 0xFC00 == 0xDC00 else { throw JSONFault(.lowSurrogate, i &+ 6) }
            return i &+ 12
        default:
            throw JSONFault(.escape, i &+ 1)
        }
    }

    /// Returns the value of four hexadecimal digits.
    static func hexDigits(_ p: Bytes, _ start: Int) throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for i in start..<start + 4 {
            guard let digit = HexDigit.value(p[i]) else { throw JSONFault(.hexDigit, i) }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Scans a number. Sets the kind, payload and flags of the token.
    @inline(__always)
    static func number(
        _ p: Bytes, _ start: Int, _ token: inout JSONToken
    ) throws(JSONFault) -> Int {
        let isNegative = p[start] == UInt8(ascii: "-")
        let first = isNegative ? start &+ 1 : start
        var digit = p[first] &- UInt8(ascii: "0")
        guard digit <= 9 else { throw JSONFault(.digit, first) }
        var magnitude = UInt64(digit)
        var i = first &+ 1
        digit = p[i] &- UInt8(ascii: "0")
        if magnitude == 0 && digit <= 9 { throw JSONFault(.digitAfterZero, i) }
        while digit <= 9 {
            magnitude = magnitude &* 10 &+ UInt64(digit)
            i &+= 1
            digit = p[i] &- UInt8(ascii: "0")
        }
        token.kind = .int
        let value = Int64(bitPattern: magnitude)
        token.payload = UInt64(bitPattern: isNegative ? 0 &- value : value)
        let isFraction = p[i] == UInt8(ascii: ".") || p[i] | 0x20 == UInt8(ascii: "e")
        // Nineteen digits may overflow 64 bits. A negative zero can be stored only as a double.
        if isFraction || i &- first > 18 || (isNegative && magnitude == 0) {
            return try unusualNumber(p, first, i, isNegative, &token)
        }
        return i
    }

    @inline(never)
    private static func unusualNumber(
        _ p: Bytes, _ first: Int, _ end: Int, _ isNegative: Bool, _ token: inout JSONToken
    ) throws(JSONFault) -> Int {
        var i = end
        var isWhole = true
        if p[i] == UInt8(ascii: ".") {
            i = try digits(p, i &+ 1)
            isWhole = false
        }
        if p[i] | 0x20 == UInt8(ascii: "e") {
            i &+= 1
            if p[i] == UInt8(ascii: "+") || p[i] == UInt8(ascii: "-") { i &+= 1 }
            i = try digits(p, i)
            isWhole = false
        }
        token.kind = .number
        if isWhole { classifyWhole(p, first, end, isNegative, &token) }
        return i
    }

    /// Scans one or more digits.
    private static func digits(_ p: Bytes, _ start: Int) throws(JSONFault) -> Int {
        var i = start
        while p[i] &- UInt8(ascii: "0") <= 9 { i &+= 1 }
        if i == start { throw JSONFault(.digit, i) }
        return i
    }

    /// Sets the kind of a whole number: signed 64-bit, unsigned 64-bit, or larger.
    private static func classifyWhole(
        _ p: Bytes, _ first: Int, _ end: Int, _ isNegative: Bool, _ token: inout JSONToken
    ) {
        var magnitude: UInt64 = 0
        for i in first..<end {
            let (scaled, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let digit = UInt64(p[i] &- UInt8(ascii: "0"))
            let (sum, overflow2) = scaled.addingReportingOverflow(digit)
            if overflow || overflow2 { return }
            magnitude = sum
        }
        if isNegative {
            if magnitude == 0 || magnitude > UInt64(Int64.min.magnitude) { return }
            token.kind = .int
            token.payload = 0 &- magnitude
        } else {
            token.payload = magnitude
            if magnitude <= UInt64(Int64.max) {
                token.kind = .int
            } else {
                token.flags |= JSONToken.unsigned
            }
        }
    }
}
