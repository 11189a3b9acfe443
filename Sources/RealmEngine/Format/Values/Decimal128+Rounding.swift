/// The powers of ten that fit in 64 bits. A literal array is laid out at compile time.
private let powersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

extension UInt64 {
    /// Makes the power of ten with this exponent, 0 ... 19.
    @inline(__always)
    init(tenToThe power: Int) { self = powersOfTen[power] }

    /// Number of decimal digits; 1 for zero.
    @inline(__always)
    var digitCount: Int {
        // 1233 / 4096 approximates log10(2) for up to 64 bits. The guess is at most one too small.
        let guess = ((64 - (self | 1).leadingZeroBitCount) &* 1233) >> 12
        return guess &+ (self | 1 >= powersOfTen[guess] ? 1 : 0)
    }
}

extension UInt128 {
    /// Makes the power of ten with this exponent, 0 ... 38.
    init(tenToThe power: Int) {
        self =
            power <= 19
            ? UInt128(powersOfTen[power])
            : UInt128(powersOfTen[19]) &* UInt128(powersOfTen[power - 19])
    }

    /// Number of decimal digits; 1 for zero.
    var digitCount: Int {
        if let small = UInt64(exactly: self) { return small.digitCount }
        let guess = ((128 - leadingZeroBitCount) * 1233) >> 12
        return self >= UInt128(tenToThe: guess) ? guess + 1 : guess
    }

    /// Returns the number without its last `count` digits, rounded half to even. `sticky` is
    /// whether digits that are not all zero follow the number.
    func droppingDigits(_ count: Int, sticky: Bool) -> UInt128 {
        // Every 128-bit number is less than half of 10^39.
        if count > 38 { return 0 }
        let (quotient, rest) = quotientAndRemainder(dividingBy: UInt128(tenToThe: count))
        let half = UInt128(tenToThe: count) / 2
        let up = rest > half || (rest == half && (sticky || quotient & 1 == 1))
        return up ? quotient + 1 : quotient
    }
}

extension Decimal128 {
    /// Makes the decimal that is nearest to `coefficient * 10^exponent`, ties to even. The result
    /// is infinite beyond the range, and subnormal or zero below it. An exponent that is too large
    /// is reduced by adding zeros to the coefficient.
    ///
    /// `sticky` is whether digits that are not all zero follow the coefficient; it must then have
    /// at least 35 digits.
    init(rounding coefficient: UInt128, sticky: Bool = false, exponent: Int, isNegative: Bool) {
        var coefficient = coefficient
        var exponent = exponent
        let excess = max(
            coefficient.digitCount - Self.digitLimit, Self.exponentRange.lowerBound - exponent)
        if excess > 0 {
            coefficient = coefficient.droppingDigits(excess, sticky: sticky)
            exponent += excess
            if coefficient == Self.coefficientLimit {
                coefficient /= 10
                exponent += 1
            }
        }
        let padding = exponent - Self.exponentRange.upperBound
        if padding > 0 {
            if coefficient == 0 {
                exponent = Self.exponentRange.upperBound
            } else if coefficient.digitCount + padding <= Self.digitLimit {
                coefficient *= UInt128(tenToThe: padding)
                exponent = Self.exponentRange.upperBound
            } else {
                self = isNegative ? -Self.infinity : Self.infinity
                return
            }
        }
        self.init(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
    }
}
