/// Parsing of numbers from bytes, without `String`, locale or white space. An initializer returns
/// nil unless the whole text is a number. A `prefix` function parses the longest number at the
/// start of the text, and also returns its length in bytes.

extension Int64 {
    /// Parses digits with an optional sign. Returns nil for other text, and for numbers of more
    /// than 64 bits.
    public init?(text: ByteView) {
        var position = 0
        var isNegative = false
        if text.count > 0 && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")) {
            isNegative = text[0] == UInt8(ascii: "-")
            position = 1
        }
        if position == text.count { return nil }
        // The number is computed as a negative one, because the smallest `Int64` has no positive
        // counterpart.
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
    /// Parses digits. Returns nil for other text, and for numbers of more than 64 bits.
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
    /// Parses the number and rounds it to the nearest double; a number beyond the range becomes
    /// infinite. Also parses `inf`, `infinity` and `nan`, with or without sign, in upper or lower
    /// case.
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
    /// Parses the number and rounds it once, to the nearest float. Accepts the same text as
    /// `Double.init(text:)`.
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
    /// Parses the number and rounds it to 34 digits, half to even; a number beyond the range
    /// becomes infinite. Also parses `inf`, `infinity` and `nan`, with or without sign, in upper or
    /// lower case.
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
    /// The nearest double, rounded once. If both the digits and the power of ten are exact doubles,
    /// one operation suffices. Otherwise the parser of the standard library is used.
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

    /// Text for the standard library's parser. If digits other than 0 were omitted (`sticky`), the
    /// number is slightly larger than its stored digits. A digit 1 is then appended, which makes
    /// the parser round in the right direction.
    private var canonicalText: String {
        if coefficient == 0 { return "0" }
        return sticky ? "\(coefficient)1e\(exponent - 1)" : "\(coefficient)e\(exponent)"
    }
}
