/// Writes numbers as ASCII digits, two digits at a time.
enum DecimalDigits {
    @inline(__always)
    static func value(_ byte: UInt8) -> UInt8? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    @inline(__always)
    private static var pairs: UnsafePointer<UInt8> {
        let text: StaticString = """
            00010203040506070809101112131415161718192021222324252627282930313233343536373839\
            40414243444546474849505152535455565758596061626364656667686970717273747576777879\
            8081828384858687888990919293949596979899
            """
        return text.utf8Start
    }

    /// Writes a number below 100 as two digits.
    @inline(__always)
    static func writePair(_ value: Int, to out: UnsafeMutableRawPointer) {
        assert(value >= 0 && value < 100)
        let pair = UnsafeRawPointer(pairs).loadUnaligned(
            fromByteOffset: value &* 2, as: UInt16.self)
        out.storeBytes(of: pair, as: UInt16.self)
    }

    /// Writes the last `width` digits, with leading zeros if the number has fewer.
    @inline(__always)
    static func write(_ value: UInt64, width: Int, to out: UnsafeMutableRawPointer) {
        var rest = value
        var place = width
        while place >= 2 {
            place &-= 2
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            writePair(Int(pair), to: out + place)
            rest = quotient
        }
        if place == 1 { out.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), as: UInt8.self) }
    }

    /// Writes all digits, at most 20, and returns the number of digits.
    @inline(__always)
    static func write(_ value: UInt64, to out: UnsafeMutableRawPointer) -> Int {
        if value < 10 {
            out.storeBytes(of: UInt8(ascii: "0") + UInt8(value), as: UInt8.self)
            return 1
        }
        let count = value.digitCount
        write(value, width: count, to: out)
        return count
    }

    /// Writes all digits, at most 39, and returns the number of digits.
    static func write(_ value: UInt128, to out: UnsafeMutableRawPointer) -> Int {
        if let small = UInt64(exactly: value) { return write(small, to: out) }
        let (high, low) = value.quotientAndRemainder(dividingBy: UInt128(tenToThe: 19))
        let count = write(high, to: out)
        write(UInt64(low), width: 19, to: out + count)
        return count + 19
    }
}
