import RealmRecords

/// Parses numbers of the command line: whole numbers, sizes and durations.
///
/// Each function returns nil for text that does not have the described notation, or that overflows.
package enum ValueForms {
    /// Parses a whole number, decimal or `0x` hexadecimal, without a sign.
    package static func count(_ text: some StringProtocol) -> Int? {
        let digits = Array(text.utf8)
        if digits.count > 2, digits[0] == UInt8(ascii: "0"), digits[1] | 0x20 == UInt8(ascii: "x") {
            return number(digits.dropFirst(2), radix: 16)
        }
        return number(digits[...], radix: 10)
    }

    /// Parses a number of bytes, alone or with a binary unit (`64KiB`, `64k`, `4M`, `1GiB`).
    package static func size(_ text: String) -> Int? {
        let (digits, unit) = split(text)
        let shift: Int
        switch unit {
        case "": shift = 0
        case "k", "K", "KiB": shift = 10
        case "M", "MiB": shift = 20
        case "G", "GiB": shift = 30
        case "T", "TiB": shift = 40
        default: return nil
        }
        return count(digits).flatMap { scaled($0, by: 1 << shift) }
    }

    /// Parses a duration with its unit: `250ms`, `5s`, `2m`, `1h`.
    package static func duration(_ text: String) -> Duration? {
        let (digits, unit) = split(text)
        let milliseconds: Int
        switch unit {
        case "ms": milliseconds = 1
        case "s": milliseconds = 1000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        default: return nil
        }
        return count(digits).flatMap { scaled($0, by: milliseconds) }.map { .milliseconds($0) }
    }

    /// Formats a size so that `size` can parse it, in the largest unit of which it is a multiple.
    static func text(size: Int) -> String {
        let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")]
        for (shift, unit) in units where size > 0 && size & (1 << shift - 1) == 0 {
            return "\(size >> shift)\(unit)"
        }
        return String(size)
    }

    /// Formats a duration so that `duration` can parse it.
    static func text(duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if attoseconds == 0 { return "\(seconds)s" }
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
    }

    /// Splits a text into the number at its beginning (including `0x`) and the unit after it.
    private static func split(_ text: String) -> (digits: Substring, unit: Substring) {
        let isHexadecimal = text.utf8.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")])
        let end = text.utf8.indices.dropFirst(isHexadecimal ? 2 : 0).first { index in
            let byte = text.utf8[index]
            return HexDigit.value(byte).map { $0 >= (isHexadecimal ? 16 : 10) } ?? true
        }
        return (text[..<(end ?? text.endIndex)], text[(end ?? text.endIndex)...])
    }

    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> Int? {
        guard !digits.isEmpty else { return nil }
        var total = 0
        for byte in digits {
            guard let value = HexDigit.value(byte), value < radix,
                let shifted = scaled(total, by: radix)
            else { return nil }
            let (sum, overflow) = shifted.addingReportingOverflow(value)
            if overflow { return nil }
            total = sum
        }
        return total
    }

    private static func scaled(_ value: Int, by factor: Int) -> Int? {
        let (product, overflow) = value.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }
}

extension Duration {
    /// Nanoseconds as a whole number, clamped to `Int.max`.
    package var wholeNanoseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : Int(product) + Int(attoseconds / 1_000_000_000)
    }
}
