/// Scans numbers, calendar times and quoted strings.
extension QueryLexer {
    /// Returns the first position at or after `p` without a digit.
    func digitsEnd(_ p: Int) -> Int {
        var end = p
        while Self.isDigit(byte(end)) { end += 1 }
        return end
    }

    /// Returns the end of digits with an optional sign at `p`; `p` if there are none.
    func signedEnd(_ p: Int) -> Int {
        let start = Self.isSign(byte(p)) ? p + 1 : p
        let end = digitsEnd(start)
        return end > start ? end : p
    }

    static func isSign(_ b: UInt8) -> Bool { b == UInt8(ascii: "+") || b == UInt8(ascii: "-") }

    /// Scans a sign. A sign directly before a number is part of the number; any other sign is an
    /// operator.
    func scanSigned(_ p: Int) -> (QueryToken.Kind, Int) {
        let next = byte(p + 1)
        if Self.isDigit(next) || next == UInt8(ascii: ".") && Self.isDigit(byte(p + 2)) {
            return scanNumber(p, p + 1)
        }
        if matchesWord(p + 1, "infinity") { return (.infinity, p + 9) }
        if matchesWord(p + 1, "inf") { return (.infinity, p + 4) }
        if matchesWord(p + 1, "nan") { return (.nan, p + 4) }
        return (byte(p) == UInt8(ascii: "+") ? .plus : .minus, p + 1)
    }

    /// Whether the word, given in lower case, is at `p` in any case.
    private func matchesWord(_ p: Int, _ word: StaticString) -> Bool {
        for i in 0..<word.utf8CodeUnitCount where byte(p + i) | 0x20 != word.utf8Start[i] {
            return false
        }
        return true
    }

    /// Scans the number that begins at `p` with an optional sign; its digits begin at `digits`.
    func scanNumber(_ p: Int, _ digits: Int) -> (QueryToken.Kind, Int) {
        let isSigned = digits > p
        if !isSigned {
            if let end = hexNumberEnd(p) { return (.number, end) }
            if let end = calendarEnd(p) { return (.calendarTime, end) }
        }
        var end = digitsEnd(digits)
        var isFloat = false
        if byte(end) == UInt8(ascii: ".") {
            isFloat = true
            end = digitsEnd(end + 1)
        }
        if byte(end) | 0x20 == UInt8(ascii: "e") {
            let exponent = signedEnd(end + 1)
            if exponent > end + 1 {
                isFloat = true
                end = exponent
            }
        }
        if byte(end) == UInt8(ascii: "f") {
            isFloat = true
            end += 1
        }
        return (isFloat ? .float : isSigned ? .number : .natural, end)
    }

    private func hexNumberEnd(_ p: Int) -> Int? {
        guard byte(p) == UInt8(ascii: "0"), byte(p + 1) | 0x20 == UInt8(ascii: "x"),
            Self.isHex(byte(p + 2))
        else { return nil }
        var end = p + 3
        while Self.isHex(byte(end)) { end += 1 }
        return end
    }

    /// Returns the end of `Y-M-DTh:m:s` or `Y-M-D@h:m:s` with an optional `:ns`; nil if there is
    /// none.
    private func calendarEnd(_ p: Int) -> Int? {
        guard let month = fieldEnd(p, "-"), let day = fieldEnd(month, "-"),
            let hour = fieldEnd(day, "T") ?? fieldEnd(day, "@"),
            let minute = fieldEnd(hour, ":"), let second = fieldEnd(minute, ":")
        else { return nil }
        let end = digitsEnd(second)
        guard end > second else { return nil }
        let nanos = digitsEnd(end + 1)
        return byte(end) == UInt8(ascii: ":") && nanos > end + 1 ? nanos : end
    }

    /// Returns the position after digits at `p` and the separator that follows them; nil if either
    /// is missing.
    private func fieldEnd(_ p: Int, _ separator: Unicode.Scalar) -> Int? {
        let end = digitsEnd(p)
        return end > p && byte(end) == UInt8(ascii: separator) ? end + 1 : nil
    }

    /// Returns the end of the quoted string at `p`, including the quotes; nil if it is unterminated
    /// or has an invalid escape.
    func scanString(_ p: Int) -> Int? {
        let quote = byte(p)
        var at = p + 1
        while at < text.count {
            let b = text[at]
            if b == quote { return at + 1 }
            if b == UInt8(ascii: "\\") {
                // In a regular expression, only skip escapes: the parser of the expression checks
                // them.
                guard let length = isExpression ? 2 : escapeLength(at) else { return nil }
                at += length
            } else {
                at += 1
            }
        }
        return nil
    }

    private func escapeLength(_ p: Int) -> Int? {
        switch byte(p + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
            UInt8(ascii: "0"), UInt8(ascii: "\\"):
            return 2
        case UInt8(ascii: "u"):
            for i in 2..<6 where !Self.isHex(byte(p + i)) { return nil }
            return 6
        default: return nil
        }
    }
}
