/// Arithmetic of IEEE 754. Results are rounded to 34 digits, half to even. An exact result has the
/// exponent that the standard prefers, so 1.20 + 0.30 is 1.50. Null is treated like NaN; callers
/// that mean something else by null check for it first.
extension Decimal128 {
    package static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        guard a.isFinite && b.isFinite else { return sumOfSpecials(a, b) }
        return a.exponent >= b.exponent ? sum(a, b) : sum(b, a)
    }

    @inline(__always)
    package static func - (a: Decimal128, b: Decimal128) -> Decimal128 { a + -b }

    package static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        let isNegative = a.isNegative != b.isNegative
        guard a.isFinite && b.isFinite else {
            if a.isNaN || b.isNaN || a.isZero || b.isZero { return .nan }
            return isNegative ? -.infinity : .infinity
        }
        let (high, low) = a.coefficient.multipliedFullWidth(by: b.coefficient)
        let exponent = a.exponent + b.exponent
        if high == 0 {
            return Decimal128(rounding: low, exponent: exponent, isNegative: isNegative)
        }
        // Exponent of the smallest power of ten by which the product must be divided to fit in 128
        // bits. At least 38 digits remain.
        let excess = high.digitCount
        let (quotient, rest) = UInt128(tenToThe: excess).dividingFullWidth((high, low))
        return Decimal128(
            rounding: quotient, sticky: rest != 0, exponent: exponent + excess,
            isNegative: isNegative)
    }

    /// Divides. Dividing by zero gives infinity, but 0 / 0 gives NaN.
    package static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        let isNegative = a.isNegative != b.isNegative
        guard a.isFinite && b.isFinite else { return quotientOfSpecials(a, b, isNegative) }
        let preferred = a.exponent - b.exponent
        if b.coefficient == 0 {
            if a.coefficient == 0 { return .nan }
            return isNegative ? -.infinity : .infinity
        }
        if a.coefficient == 0 {
            return Decimal128(rounding: 0, exponent: preferred, isNegative: isNegative)
        }
        // The dividend is scaled to 34 digits, and then by 10^(digits of b + 2). So the quotient
        // has 36 or 37 digits.
        let lift = digitLimit - a.coefficient.digitCount
        let extra = b.coefficient.digitCount + 2
        let dividend = (a.coefficient * UInt128(tenToThe: lift))
            .multipliedFullWidth(by: UInt128(tenToThe: extra))
        var (quotient, rest) = b.coefficient.dividingFullWidth(dividend)
        var exponent = preferred - lift - extra
        if rest == 0 { stripZeros(&quotient, &exponent, upTo: preferred) }
        return Decimal128(
            rounding: quotient, sticky: rest != 0, exponent: exponent, isNegative: isNegative)
    }

    /// Removes zeros at the end of the coefficient and increases the exponent, to `limit` at most.
    static func stripZeros(_ coefficient: inout UInt128, _ exponent: inout Int, upTo limit: Int) {
        while exponent < limit {
            let (shorter, digit) = coefficient.quotientAndRemainder(dividingBy: 10)
            if digit != 0 { return }
            coefficient = shorter
            exponent += 1
        }
    }

    /// Returns the sum of two finite numbers. `a` must have the larger exponent, unless both are
    /// equal.
    private static func sum(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        let (left, right) = (a.coefficient, b.coefficient)
        if left == 0 {
            let isNegative = b.isNegative && (right != 0 || a.isNegative)
            return Decimal128(isNegative: isNegative, coefficient: right, exponent: b.exponent)
        }
        // Scales `a` up as far as 128 bits permit. If the exponents still differ, digits of `b` are
        // removed; the result then has more than 35 digits anyway.
        let lift = min(a.exponent - b.exponent, 38 - left.digitCount)
        let scaled = left * UInt128(tenToThe: lift)
        let exponent = a.exponent - lift
        let (cut, sticky) = dropping(exponent - b.exponent, from: right)
        if a.isNegative == b.isNegative {
            return Decimal128(
                rounding: scaled + cut, sticky: sticky, exponent: exponent,
                isNegative: a.isNegative)
        }
        let taken = sticky ? cut + 1 : cut
        if scaled >= taken {
            let isNegative = a.isNegative && scaled != taken
            return Decimal128(
                rounding: scaled - taken, sticky: sticky, exponent: exponent,
                isNegative: isNegative)
        }
        return Decimal128(
            rounding: taken - scaled, exponent: exponent, isNegative: b.isNegative)
    }

    /// Removes the last `count` digits. `sticky` is whether any of them is not zero.
    private static func dropping(_ count: Int, from value: UInt128) -> (UInt128, sticky: Bool) {
        if count == 0 { return (value, false) }
        if count > 38 { return (0, value != 0) }
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: UInt128(tenToThe: count))
        return (quotient, rest != 0)
    }

    private static func sumOfSpecials(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        if a.isInfinite && b.isInfinite && a.isNegative != b.isNegative { return .nan }
        let isNegative = a.isInfinite ? a.isNegative : b.isNegative
        return isNegative ? -.infinity : .infinity
    }

    private static func quotientOfSpecials(
        _ a: Decimal128, _ b: Decimal128, _ isNegative: Bool
    ) -> Decimal128 {
        if a.isNaN || b.isNaN || (a.isInfinite && b.isInfinite) { return .nan }
        if a.isInfinite { return isNegative ? -.infinity : .infinity }
        return Decimal128(
            isNegative: isNegative, coefficient: 0, exponent: exponentRange.lowerBound)
    }
}
