/// Parses numbers byte by byte, without `String`, locale or white space. The initializers require
/// the whole text to be a number; the `prefix` functions parse the longest number at its beginning
/// and return its length in bytes.

extension Int64 {
    /// Parses an optional sign and digits; nil for other text or numbers beyond 64 bits.
    public init?(text: ByteView) {
        var position = 0
        var isNegative = false
        if text.count > 0 && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")) {
            isNegative = text[0] == UInt8(ascii: "-")
            position = 1
        }
        if position == text.count { return nil }
        // Accumulated as a negative number, since the negative range is larger by one.
        var value: Int64 = 0
        while position < text.count {
            guard let digit = DecimalDigits.value(text[position]) else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, overflow2) = scaled.subtractingReportingOverflow(Int64(digit))
            if overflow || overflow2 { return nil }
            value = next
            position += 1
        }
        if isNegative {
            self = value
        } else {
            if value == .min { return nil }
            self = -value
        }
    }
}

extension UInt64 {
    /// Parses digits; nil for other text or numbers beyond 64 bits.
    public init?(text: ByteView) {
        if text.count == 0 { return nil }
        var value: UInt64 = 0
        for i in 0..<text.count {
            guard let digit = DecimalDigits.value(text[i]) else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, overflow2) = scaled.addingReportingOverflow(UInt64(digit))
            if overflow || overflow2 { return nil }
            value = next
        }
        self = value
    }
}

extension Double {
    /// Parses the nearest double; also `inf`, `infinity` and `nan`, signed, in any case. Numbers
    /// beyond the range become infinite.
    public init?(text: ByteView) {
        guard let (value, length) = Double.prefix(of: text), length == text.count else {
            return nil
        }
        self = value
    }

    public static func prefix(of text: ByteView) -> (value: Double, length: Int)? {
        if let number = NumberScanner(text) { return (number.doubleValue, number.length) }
        guard let word = NumberWord(text) else { return nil }
        let value = word.meaning == .nan ? Double.nan : word.isNegative ? -infinity : infinity
        return (value, word.length)
    }
}

extension Float {
    /// Parses the nearest float, rounded once; otherwise like `Double.init(text:)`.
    public init?(text: ByteView) {
        guard let (value, length) = Float.prefix(of: text), length == text.count else {
            return nil
        }
        self = value
    }

    public static func prefix(of text: ByteView) -> (value: Float, length: Int)? {
        if let number = NumberScanner(text) { return (number.floatValue, number.length) }
        guard let (value, length) = Double.prefix(of: text) else { return nil }
        return (Float(value), length)
    }
}

extension Decimal128 {
    /// Parses all digits; more than 34 are rounded half to even, and numbers beyond the range
    /// become infinite. Also parses `inf`, `infinity` and `nan`, signed, in any case.
    public init?(text: ByteView) {
        guard let (value, length) = Decimal128.prefix(of: text), length == text.count else {
            return nil
        }
        self = value
    }

    static func prefix(of text: ByteView) -> (value: Decimal128, length: Int)? {
        if let number = NumberScanner(text) {
            let value = Decimal128(
                rounding: number.coefficient, sticky: number.sticky, exponent: number.exponent,
                isNegative: number.isNegative)
            return (value, number.length)
        }
        guard let word = NumberWord(text) else { return nil }
        let value = word.meaning == .nan ? nan : word.isNegative ? -infinity : infinity
        return (value, word.length)
    }
}

extension NumberScanner {
    /// The nearest double, rounded once: by one operation if the digits and the power of ten are
    /// exact doubles, otherwise by the standard library's parser.
    fileprivate var doubleValue: Double {
        var magnitude: Double
        if !sticky && coefficient <= 1 << 53 && (-19...19).contains(exponent) {
            let power = Double(UInt64(tenToThe: abs(exponent)))
            magnitude = Double(UInt64(coefficient))
            magnitude = exponent < 0 ? magnitude / power : magnitude * power
        } else {
            magnitude = Double(canonicalText) ?? .nan
        }
        return isNegative ? -magnitude : magnitude
    }

    fileprivate var floatValue: Float {
        let magnitude = Float(canonicalText) ?? .nan
        return isNegative ? -magnitude : magnitude
    }

    /// Omitted digits only make the number slightly larger, which one more digit expresses.
    private var canonicalText: String {
        if coefficient == 0 { return "0" }
        return sticky ? "\(coefficient)1e\(exponent - 1)" : "\(coefficient)e\(exponent)"
    }
}
