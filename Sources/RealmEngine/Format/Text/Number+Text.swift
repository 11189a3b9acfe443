/// Numbers from text, byte by byte: no `String`, no locale, no white space. The initializers want
/// the text to be the number and nothing else; the `prefix` forms take what they can from its front
/// and say how many bytes that was.

extension Int64 {
    /// None for anything but an optional sign and digits, or beyond 64 bits.
    public init?(text: ByteView) {
        var position = 0
        var isNegative = false
        if text.count > 0 && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")) {
            isNegative = text[0] == UInt8(ascii: "-")
            position = 1
        }
        if position == text.count { return nil }
        // Gathered below zero, where there is room for one more than above.
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
    /// None for anything but digits, or beyond 64 bits.
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
    /// The nearest double; also `inf`, `infinity` and `nan`, signed, in any case. Numbers beyond
    /// the range become infinite.
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
    /// The nearest float, rounded once; otherwise as `Double.init(text:)`.
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
    /// All digits of the text; more than 34 are rounded half to even, numbers beyond the range
    /// become infinite. Also `inf`, `infinity` and `nan`, signed, in any case.
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
    /// Rounded once, by the standard library's parser unless the digits and the power of ten are
    /// exact doubles themselves.
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

    /// Left-out digits matter only as a hair more than what is kept, which one more digit says.
    private var canonicalText: String {
        if coefficient == 0 { return "0" }
        return sticky ? "\(coefficient)1e\(exponent - 1)" : "\(coefficient)e\(exponent)"
    }
}
