/// Parses a decimal numeral at the start of a text, without rounding.
///
/// `[sign] digits [. digits] [e [sign] digits]`, with at least one digit on either side of the
/// point.
struct NumberScanner {
    private(set) var isNegative = false
    /// The first 38 significant digits.
    private(set) var coefficient: UInt128 = 0
    /// Whether more digits, not all of them zero, follow the coefficient.
    private(set) var sticky = false
    private(set) var exponent = 0
    /// Whether the numeral has neither a point nor an exponent.
    private(set) var isInteger = true
    /// Length of the numeral in bytes.
    private(set) var length = 0

    private let text: ByteView
    private var digits = 0

    /// Returns nil if the text does not begin with a numeral.
    init?(_ text: ByteView) {
        self.text = text
        if let sign = byte, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            length = 1
        }
        let start = length
        scanDigits(afterPoint: false)
        var digitCount = length - start
        if byte == UInt8(ascii: ".") {
            length += 1
            let start = length
            scanDigits(afterPoint: true)
            digitCount += length - start
            isInteger = false
        }
        if digitCount == 0 { return nil }
        scanExponent()
    }

    private var byte: UInt8? { length < text.count ? text[length] : nil }

    private mutating func scanDigits(afterPoint: Bool) {
        while let digit = byte.flatMap({ DecimalDigits.value($0) }) {
            if digits < 38 {
                coefficient = coefficient &* 10 &+ UInt128(digit)
                // Leading zeros do not count.
                if coefficient != 0 { digits += 1 }
                if afterPoint { exponent -= 1 }
            } else {
                if digit != 0 { sticky = true }
                if !afterPoint { exponent += 1 }
            }
            length += 1
        }
    }

    /// Scans an exponent; an `e` without digits after it is not part of the numeral.
    private mutating func scanExponent() {
        let end = length
        guard let mark = byte, mark | 0x20 == UInt8(ascii: "e") else { return }
        length += 1
        var isNegative = false
        if let sign = byte, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            length += 1
        }
        let start = length
        var value = 0
        while let digit = byte.flatMap({ DecimalDigits.value($0) }) {
            // Saturates far outside every format, and far inside the range of Int.
            value = min(value * 10 + Int(digit), 1 << 48)
            length += 1
        }
        if length == start {
            length = end
        } else {
            exponent += isNegative ? -value : value
            isInteger = false
        }
    }
}

/// The words for special numbers: `inf`, `infinity`, `nan`, signed or not, in any case.
struct NumberWord {
    enum Meaning {
        case infinity
        case nan
    }

    let meaning: Meaning
    let isNegative: Bool
    let length: Int

    init?(_ text: ByteView) {
        var start = 0
        if text.count > 0 && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")) {
            start = 1
        }
        isNegative = start == 1 && text[0] == UInt8(ascii: "-")
        if text.hasWord("infinity", at: start) {
            (meaning, length) = (.infinity, start + 8)
        } else if text.hasWord("inf", at: start) {
            (meaning, length) = (.infinity, start + 3)
        } else if text.hasWord("nan", at: start) {
            (meaning, length) = (.nan, start + 3)
        } else {
            return nil
        }
    }
}

extension ByteView {
    /// Whether the text at `start` equals the lower-case ASCII word, in any case.
    func hasWord(_ word: StaticString, at start: Int) -> Bool {
        guard count - start >= word.utf8CodeUnitCount else { return false }
        for i in 0..<word.utf8CodeUnitCount where self[start + i] | 0x20 != word.utf8Start[i] {
            return false
        }
        return true
    }
}
