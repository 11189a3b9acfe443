extension Decimal128 {
    /// Compares the numbers; returns a negative number, zero or a positive number. 1.0 equals 1.00,
    /// -0 equals 0, and NaN is less than every number. NaNs, including null, are compared by their
    /// bits (object format 8.3).
    public static func compare(_ a: Decimal128, _ b: Decimal128) -> Int {
        if a.isNaN || b.isNaN { return compareWithNaN(a, b) }
        if a == b { return 0 }
        let (left, right) = (a.signum, b.signum)
        if left != right { return left - right }
        return left < 0 ? compareMagnitudes(b, a) : left == 0 ? 0 : compareMagnitudes(a, b)
    }

    /// -1 for a negative number, 0 for zero, 1 for a positive number.
    private var signum: Int {
        if isFinite && coefficient == 0 { return 0 }
        return isNegative ? -1 : 1
    }

    /// Compares the absolute values of two numbers that are neither zero nor NaN.
    private static func compareMagnitudes(_ a: Decimal128, _ b: Decimal128) -> Int {
        if a.isInfinite || b.isInfinite { return (a.isInfinite ? 1 : 0) - (b.isInfinite ? 1 : 0) }
        var (left, right) = (a.coefficient, b.coefficient)
        let (leftDigits, rightDigits) = (left.digitCount, right.digitCount)
        let order = (leftDigits + a.exponent) - (rightDigits + b.exponent)
        if order != 0 { return order }
        // Both numbers have the same number of digits before the point. So after giving them the
        // same exponent, neither has more than 34 digits.
        if leftDigits < rightDigits {
            left *= UInt128(tenToThe: rightDigits - leftDigits)
        } else {
            right *= UInt128(tenToThe: leftDigits - rightDigits)
        }
        return left < right ? -1 : left == right ? 0 : 1
    }

    private static func compareWithNaN(_ a: Decimal128, _ b: Decimal128) -> Int {
        guard a.isNaN && b.isNaN else { return a.isNaN ? -1 : 1 }
        if a.high != b.high { return a.high < b.high ? -1 : 1 }
        return a.low < b.low ? -1 : a.low == b.low ? 0 : 1
    }
}
