extension Decimal128 {
    /// Converts an integer exactly.
    public init(_ value: Int64) {
        self.init(isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
    }

    /// Converts an integer exactly.
    public init(_ value: Int) { self.init(Int64(value)) }

    /// Rounds the double to 15 significant digits, half to even (object format 8.3).
    public init(_ value: Double) { self.init(value, significantDigits: 15) }

    /// Rounds the float to 7 significant digits, half to even (object format 8.3).
    public init(_ value: Float) { self.init(Double(value), significantDigits: 7) }

    private init(_ value: Double, significantDigits: Int) {
        guard value.isFinite else {
            self = value.isNaN ? .nan : value < 0 ? -.infinity : .infinity
            return
        }
        let exact = BinaryFraction(value).decimal
        var (coefficient, exponent) = (exact.coefficient, exact.exponent)
        let excess = coefficient.digitCount - significantDigits
        if excess > 0 {
            coefficient = coefficient.droppingDigits(excess, sticky: exact.sticky)
            exponent += excess
        }
        if coefficient == 0 {
            exponent = 0
        } else {
            Self.stripZeros(&coefficient, &exponent, upTo: exponent > 0 ? .max : 0)
        }
        self.init(isNegative: value.sign == .minus, coefficient: coefficient, exponent: exponent)
    }

    /// The nearest double. It is infinite if the number is beyond the range of doubles, and NaN for
    /// NaN and null.
    public var doubleValue: Double {
        guard isFinite else { return isNaN ? .nan : isNegative ? -.infinity : .infinity }
        return isNegative ? -magnitudeAsDouble : magnitudeAsDouble
    }

    private var magnitudeAsDouble: Double {
        // Both operands are exact doubles, so the operation rounds only once.
        if coefficient <= 1 << 53 && (-19...19).contains(exponent) {
            let power = Double(UInt64(tenToThe: abs(exponent)))
            let digits = Double(UInt64(coefficient))
            return exponent < 0 ? digits / power : digits * power
        }
        return Double("\(coefficient)e\(exponent)") ?? .nan
    }

    /// The number without its fraction. Nil for numbers of more than 64 bits, infinity, NaN and
    /// null.
    package var truncatedToInt64: Int64? { integerPart?.value }

    /// The number as an integer. Nil if it has a fraction or more than 64 bits, and for infinity,
    /// NaN and null.
    package var exactInt64: Int64? {
        guard let part = integerPart, part.isExact else { return nil }
        return part.value
    }

    private var integerPart: (value: Int64, isExact: Bool)? {
        guard isFinite else { return nil }
        var (magnitude, rest) = (coefficient, UInt128(0))
        if magnitude != 0 && exponent > 0 {
            if exponent > 18 { return nil }
            // The product of 34 digits and 10^18 may exceed 128 bits.
            let (product, overflow) =
                magnitude.multipliedReportingOverflow(by: UInt128(tenToThe: exponent))
            if overflow { return nil }
            magnitude = product
        } else if exponent < 0 {
            if exponent < -Self.digitLimit { return (0, magnitude == 0) }
            (magnitude, rest) =
                magnitude.quotientAndRemainder(dividingBy: UInt128(tenToThe: -exponent))
        }
        guard magnitude <= 1 << 63 else { return nil }
        let signed = isNegative ? -Int128(magnitude) : Int128(magnitude)
        guard let value = Int64(exactly: signed) else { return nil }
        return (value, rest == 0)
    }
}

/// The absolute value of a finite double, as `significand * 2^exponent`. The significand is odd or
/// zero.
private struct BinaryFraction {
    let significand: UInt64
    let exponent: Int

    init(_ value: Double) {
        let biased = Int(value.exponentBitPattern)
        let bits = value.significandBitPattern | (biased == 0 ? 0 : 1 << 52)
        let zeros = bits == 0 ? 0 : bits.trailingZeroBitCount
        significand = bits >> UInt64(zeros)
        exponent = bits == 0 ? 0 : max(biased, 1) - 1075 + zeros
    }

    typealias Decimal = (coefficient: UInt128, sticky: Bool, exponent: Int)

    /// The value in base ten. If digits were omitted that are not all zero, `sticky` is true, and
    /// the coefficient has at least 17 digits.
    var decimal: Decimal {
        let bits = 64 - significand.leadingZeroBitCount
        if exponent >= 0 {
            if exponent + bits <= 128 { return (UInt128(significand) << exponent, false, 0) }
            return dividedDown
        }
        // m / 2^s equals m * 5^q / 2^(s - q) / 10^q. q is as large as 128 bits permit. The result
        // is exact for numbers with few binary places, and precise enough for all but very small
        // numbers.
        let power = min(-exponent, (128 - bits) * 1000 / 2322)
        let product = UInt128(significand) * Self.fiveToThe(power)
        let shift = -exponent - power
        if shift == 0 { return (product, false, -power) }
        if product >> (shift + 57) != 0 {
            return (product >> shift, product & (1 << shift - 1) != 0, -power)
        }
        return multipliedUp
    }

    private static func fiveToThe(_ power: Int) -> UInt128 {
        let first = min(power, 38)
        let second = power - first
        return (UInt128(tenToThe: first) >> first) * (UInt128(tenToThe: second) >> second)
    }

    /// The value in base ten, for a value that needs more than 128 bits.
    private var dividedDown: Decimal {
        var number = WideInteger(significand, shiftedLeftBy: exponent)
        var (sticky, power) = (false, 0)
        while number.count > 2 {
            if number.divide(by: UInt64(tenToThe: 19)) != 0 { sticky = true }
            power += 19
        }
        return (number.bits(from: 0), sticky, power)
    }

    /// The value in base ten, for a value so small that `decimal` would compute fewer than 58 bits
    /// of it.
    private var multipliedUp: Decimal {
        var number = WideInteger(significand, shiftedLeftBy: 0)
        var power = 0
        while number.bitWidth + exponent < 64 {
            number.multiply(by: UInt64(tenToThe: 19))
            power -= 19
        }
        return (number.bits(from: -exponent), number.hasBits(below: -exponent), power)
    }
}

/// A large natural number, with the operations that the conversion of very large and very small
/// doubles needs.
private struct WideInteger {
    /// The number in digits of 64 bits, the least significant digit first.
    private var limbs = InlineArray<20, UInt64>(repeating: 0)
    private(set) var count: Int

    init(_ value: UInt64, shiftedLeftBy shift: Int) {
        let (limb, bit) = (shift / 64, UInt64(shift % 64))
        limbs[limb] = value << bit
        limbs[limb + 1] = bit == 0 ? 0 : value >> (64 - bit)
        count = limbs[limb + 1] == 0 ? limb + 1 : limb + 2
    }

    var bitWidth: Int { count * 64 - limbs[count - 1].leadingZeroBitCount }

    mutating func multiply(by factor: UInt64) {
        var carry: UInt64 = 0
        for i in 0..<count {
            let (high, low) = limbs[i].multipliedFullWidth(by: factor)
            let (sum, overflow) = low.addingReportingOverflow(carry)
            limbs[i] = sum
            carry = high &+ (overflow ? 1 : 0)
        }
        if carry != 0 {
            limbs[count] = carry
            count += 1
        }
    }

    /// Divides this number by `divisor` and returns the remainder.
    mutating func divide(by divisor: UInt64) -> UInt64 {
        var rest: UInt64 = 0
        for i in stride(from: count - 1, through: 0, by: -1) {
            (limbs[i], rest) = divisor.dividingFullWidth((rest, limbs[i]))
        }
        while count > 1 && limbs[count - 1] == 0 { count -= 1 }
        return rest
    }

    /// Returns 128 bits of the number, beginning with bit `start`.
    func bits(from start: Int) -> UInt128 {
        let (limb, bit) = (start / 64, start % 64)
        var result: UInt128 = 0
        for i in (0..<3).reversed() where limb + i < count {
            let place = i * 64 - bit
            let part = UInt128(limbs[limb + i])
            result |= place < 0 ? part >> -place : part << place
        }
        return result
    }

    func hasBits(below end: Int) -> Bool {
        for i in 0..<min(end / 64, count) where limbs[i] != 0 { return true }
        guard end / 64 < count else { return false }
        return limbs[end / 64] & (1 << UInt64(end % 64) - 1) != 0
    }
}
