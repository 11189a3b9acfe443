/// Formats decimal numbers as the SDK does: `1.23E6`, without trailing zeros of the fraction.
enum DecimalText {
    /// Formats a number, given the text that the engine produces for it.
    static func of(_ text: String) -> String {
        let unsigned = text.drop { $0 == "-" || $0 == "+" }
        guard unsigned.first?.isNumber == true else { return text }
        let sign = text.hasPrefix("-") ? "-" : ""
        let parts = unsigned.split(separator: "E")
        let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = halves.count > 1 ? halves[1] : ""
        let digits = trimmed(halves[0] + fraction)
        // A number whose digits exceed 64 bits keeps the engine's format.
        guard UInt64(digits) != nil else { return text }
        let exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.count
        return sign + placed(digits, exponent)
    }

    private static func trimmed(_ digits: some StringProtocol) -> String {
        let trimmed = digits.drop { $0 == "0" }
        return trimmed.isEmpty ? "0" : String(trimmed)
    }

    /// Moves the decimal point to the left, until the exponent is zero or one digit remains to the
    /// left of the point.
    private static func placed(_ digits: String, _ exponent: Int) -> String {
        let steps = exponent == 0 ? 0 : digits.count - 1
        let moved = exponent < 0 ? min(steps, -exponent) : steps
        var fraction = digits.suffix(moved)
        while fraction.last == "0" { fraction.removeLast() }
        let text = digits.dropLast(moved) + (fraction.isEmpty ? "" : "." + fraction)
        let rest = exponent + moved
        return rest == 0 ? String(text) : "\(text)E\(rest)"
    }
}
