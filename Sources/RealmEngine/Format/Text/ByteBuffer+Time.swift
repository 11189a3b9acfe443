extension ByteBuffer {
    /// Appends a time in UTC as in RFC 3339, without trailing zeros in the fraction:
    /// "2025-03-04T09:12:44.5Z". Years before 0000 and after 9999 have the expanded form of ISO
    /// 8601: a sign and at least four digits.
    package mutating func append(rfc3339 timestamp: Timestamp) {
        let time = CalendarTime(timestamp)
        // A sign, twelve digits for the year, and thirty characters for the rest.
        var out = reserve(48)
        let start = out
        if time.year < 0 || time.year > 9999 {
            out.storeBytes(of: UInt8(ascii: time.year < 0 ? "-" : "+"), as: UInt8.self)
            out += 1
        }
        let year = time.year.magnitude
        let width = max(4, year.digitCount)
        DecimalDigits.write(year, width: width, to: out)
        out += width
        let second = time.secondOfDay
        Self.write("-", time.month, to: out)
        Self.write("-", time.day, to: out + 3)
        Self.write("T", second / 3600, to: out + 6)
        Self.write(":", second / 60 % 60, to: out + 9)
        Self.write(":", second % 60, to: out + 12)
        out += 15
        out += Self.writeFraction(time.nanosecond, to: out)
        out.storeBytes(of: UInt8(ascii: "Z"), as: UInt8.self)
        advance(by: out + 1 - start)
    }

    /// Appends the number of seconds since 1970-01-01T00:00:00Z. It has a fraction unless that is
    /// zero: "-1.5".
    package mutating func append(unixSeconds time: Timestamp) {
        let total = time.totalNanoseconds
        if total < 0 { append(UInt8(ascii: "-")) }
        let (seconds, rest) = total.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let out = reserve(32)
        let count = DecimalDigits.write(UInt64(seconds), to: out)
        advance(by: count + Self.writeFraction(Int(rest), to: out + count))
    }

    /// Appends the number of nanoseconds since 1970-01-01T00:00:00Z.
    package mutating func append(unixNanoseconds time: Timestamp) {
        append(number: time.totalNanoseconds)
    }

    @inline(__always)
    private static func write(
        _ separator: Unicode.Scalar, _ value: Int, to out: UnsafeMutableRawPointer
    ) {
        out.storeBytes(of: UInt8(ascii: separator), as: UInt8.self)
        DecimalDigits.writePair(value, to: out + 1)
    }

    /// Writes a point and up to nine digits; nothing if `nanosecond` is 0. Returns the number of
    /// characters.
    @inline(__always)
    private static func writeFraction(_ nanosecond: Int, to out: UnsafeMutableRawPointer) -> Int {
        if nanosecond == 0 { return 0 }
        out.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
        var (digits, width) = (nanosecond, 9)
        while digits % 10 == 0 {
            digits /= 10
            width -= 1
        }
        DecimalDigits.write(UInt64(digits), width: width, to: out + 1)
        return width + 1
    }
}
