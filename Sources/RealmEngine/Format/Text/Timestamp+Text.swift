extension Timestamp {
    /// Parses a date and time as in RFC 3339, with `Z` or an offset. The fraction may have nine
    /// significant digits, and the second may be a leap second. Years before 0000 and after 9999
    /// have the expanded form of ISO 8601, with a sign. Returns nil for other text, for dates that
    /// do not exist, and if the seconds exceed 64 bits.
    public init?(text: ByteView) {
        if text.count == 20, let seconds = Self.plainSeconds(text.base) {
            self.init(seconds: seconds, nanoseconds: 0)
            return
        }
        var scanner = TimeScanner(text)
        guard let day = scanner.date(), scanner.skip(oneOf: "Tt "),
            let second = scanner.timeOfDay(), let nanosecond = scanner.fraction(),
            let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let seconds = Int128(day) * 86_400 + Int128(second - offset)
        self.init(totalNanoseconds: seconds * 1_000_000_000 + Int128(nanosecond))
    }

    /// Parses a date and time like `init(text:)`, but the zone or the time of day may be missing.
    /// The default zone is UTC, the default time midnight.
    package init?(incomplete text: ByteView) {
        if let time = Timestamp(text: text) {
            self = time
            return
        }
        guard text.count >= 10, text.count < 40, text[4] == UInt8(ascii: "-"),
            text[7] == UInt8(ascii: "-")
        else { return nil }
        let whole = [UInt8](text.buffer) + (text.count == 10 ? "T00:00:00Z" : "Z").utf8
        let time = whole.withUnsafeBytes {
            Timestamp(text: ByteView($0.baseAddress!, count: $0.count))
        }
        guard let time else { return nil }
        self = time
    }

    /// Fast path for the most frequent form, `2020-01-02T03:04:05Z`; returns nil for all other
    /// texts.
    private static func plainSeconds(_ p: UnsafeRawPointer) -> Int64? {
        @inline(__always) func byte(_ i: Int) -> UInt8 { p.load(fromByteOffset: i, as: UInt8.self) }
        var isPlain =
            byte(4) == UInt8(ascii: "-") && byte(7) == UInt8(ascii: "-")
            && byte(10) == UInt8(ascii: "T") && byte(13) == UInt8(ascii: ":")
            && byte(16) == UInt8(ascii: ":") && byte(19) == UInt8(ascii: "Z")
        @inline(__always) func pair(_ i: Int) -> Int64 {
            let (tens, ones) = (byte(i) &- UInt8(ascii: "0"), byte(i &+ 1) &- UInt8(ascii: "0"))
            if tens > 9 || ones > 9 { isPlain = false }
            return Int64(tens) &* 10 &+ Int64(ones)
        }
        let (year, month, day) = (pair(0) &* 100 &+ pair(2), pair(5), pair(8))
        let (hour, minute, second) = (pair(11), pair(14), pair(17))
        // Days that some months do not have, and leap seconds, are left to the general parser.
        guard isPlain, 1...12 ~= month, 1...28 ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = CalendarTime.day(year: year, month: Int(month), day: day)
        return days &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second
    }
}

/// Parses a date and time from left to right. Each function returns nil if its part is malformed.
private struct TimeScanner {
    private let text: ByteView
    private var position = 0

    init(_ text: ByteView) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    private var byte: UInt8? { position < text.count ? text[position] : nil }

    mutating func skip(oneOf bytes: StaticString) -> Bool {
        guard let byte else { return false }
        for i in 0..<bytes.utf8CodeUnitCount where bytes.utf8Start[i] == byte {
            position += 1
            return true
        }
        return false
    }

    /// Parses a date and returns the number of days since 1970-01-01.
    mutating func date() -> Int64? {
        guard let year = year(), skip(oneOf: "-"), let month = pair(1...12), skip(oneOf: "-"),
            let day = pair(1...31), day <= CalendarTime.daysInMonth(month, year: year)
        else { return nil }
        return CalendarTime.day(year: year, month: month, day: Int64(day))
    }

    /// Parses a year: four digits, or a sign and four to twelve digits.
    private mutating func year() -> Int64? {
        let sign = byte
        let isSigned = skip(oneOf: "+-")
        var year: Int64 = 0
        var count = 0
        while count < (isSigned ? 12 : 4), let digit = byte.flatMap({ DecimalDigits.value($0) }) {
            year = year * 10 + Int64(digit)
            position += 1
            count += 1
        }
        if count < 4 { return nil }
        return sign == UInt8(ascii: "-") ? -year : year
    }

    /// Parses exactly two digits, whose number must be in `range`.
    private mutating func pair(_ range: ClosedRange<Int>) -> Int? {
        guard text.count - position >= 2, let tens = DecimalDigits.value(text[position]),
            let ones = DecimalDigits.value(text[position + 1])
        else { return nil }
        position += 2
        let value = Int(tens) * 10 + Int(ones)
        return range.contains(value) ? value : nil
    }

    /// Parses a time of day and returns the number of seconds since midnight.
    mutating func timeOfDay() -> Int? {
        guard let hour = pair(0...23), skip(oneOf: ":"), let minute = pair(0...59),
            skip(oneOf: ":"), let second = pair(0...60)
        else { return nil }
        if second == 60 && minute != 59 { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// Parses a fraction of a second and returns nanoseconds; 0 if there is no fraction.
    mutating func fraction() -> Int? {
        if !skip(oneOf: ".,") { return 0 }
        var nanoseconds = 0
        var unit = 100_000_000
        let start = position
        while let digit = byte.flatMap({ DecimalDigits.value($0) }) {
            // A digit after the ninth must be 0, because nanoseconds cannot represent it.
            if unit == 0 && digit != 0 { return nil }
            nanoseconds += Int(digit) * unit
            unit /= 10
            position += 1
        }
        return position > start ? nanoseconds : nil
    }

    /// Parses the offset from UTC and returns seconds, positive east of Greenwich.
    mutating func offset() -> Int? {
        if skip(oneOf: "Zz") { return 0 }
        let isWest = byte == UInt8(ascii: "-")
        guard skip(oneOf: "+-"), let hours = pair(0...23), skip(oneOf: ":"),
            let minutes = pair(0...59)
        else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return isWest ? -seconds : seconds
    }
}
