/// Parses a decimal number at the start of a text, without rounding.
///
/// The form is `[sign] digits [. digits] [e [sign] digits]`. There must be a digit before or after
/// the point.
struct NumberScanner {
    private(set) var isNegative = false
    /// The first 38 significant digits of the number, as an integer.
    private(set) var coefficient: UInt128 = 0
    /// Whether digits were omitted after the 38th, and not all of them are zero.
    private(set) var sticky = false
    private(set) var exponent = 0
    /// Whether the number has neither a point nor an exponent.
    private(set) var isInteger = true
    /// Length in bytes of the number in the text.
    private(set) var length = 0

    private let text: ByteView
    private var digits = 0

    /// Returns nil if the text does not begin with a number.
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
                // Leading zeros are not significant digits.
                if coefficient != 0 { digits += 1 }
                if afterPoint { exponent -= 1 }
            } else {
                if digit != 0 { sticky = true }
                if !afterPoint { exponent += 1 }
            }
            length += 1
        }
    }

    /// Scans an exponent. An `e` that no digits follow does not belong to the number.
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
            // The limit is far beyond the exponents of all formats, and far below the largest Int.
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

/// The words `inf`, `infinity` and `nan`, with or without sign, in upper or lower case.
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
    /// Whether the text at `start` is the ASCII word `word`, in upper or lower case. `word` must be
    /// in lower case.
    func hasWord(_ word: StaticString, at start: Int) -> Bool {
        guard count - start >= word.utf8CodeUnitCount else { return false }
        for i in 0..<word.utf8CodeUnitCount where self[start + i] | 0x20 != word.utf8Start[i] {
            return false
        }
        return true
    }
}
