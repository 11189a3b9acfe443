/// Decimals as the SDK writes them: `1.23E6`, without zeros behind the last other digit of a fraction.
enum DecimalText {
    /// Of the same number as the engine writes it.
    static func of(_ text: String) -> String {
        let unsigned = text.drop { $0 == "-" || $0 == "+" }
        guard unsigned.first?.isNumber == true else { return text }
        let sign = text.hasPrefix("-") ? "-" : ""
        let parts = unsigned.split(separator: "E")
        let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = halves.count > 1 ? halves[1] : ""
        let digits = trimmed(halves[0] + fraction)
        // A longer one is written as a whole number by its exponent.
        guard UInt64(digits) != nil else { return text }
        let exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.count
        return sign + placed(digits, exponent)
    }

    private static func trimmed(_ digits: some StringProtocol) -> String {
        let trimmed = digits.drop { $0 == "0" }
        return trimmed.isEmpty ? "0" : String(trimmed)
    }

    /// The point goes to the left until nothing is left of the exponent, or one digit in front of it.
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
