/// A decimal of IEEE 754-2008, in the binary integer encoding of 128 bits (object format 3.10). It
/// is `coefficient * 10^exponent` with up to 34 digits, an infinity, or NaN.
///
/// `==` and hashing compare the encoding, so 1.0 and 1.00 differ. `Decimal128.compare` compares the
/// numbers.
public struct Decimal128: Hashable, Sendable {
    public var high: UInt64
    public var low: UInt64

    @inline(__always)
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Null in the file format: the NaN with payload 0xAA.
    static let null = Decimal128(high: 0x7C00_0000_0000_0000, low: 0xAA)
    public static let nan = Decimal128(high: 0x7C00_0000_0000_0000, low: 0)
    public static let infinity = Decimal128(high: 0x7800_0000_0000_0000, low: 0)
    /// Zero with exponent 0.
    public static let zero = Decimal128(high: 0x3040_0000_0000_0000, low: 0)

    /// Maximum number of decimal digits in a coefficient.
    static let digitLimit = 34
    static let coefficientLimit = UInt128(tenToThe: digitLimit)
    static let exponentBias = 6176
    static let exponentRange = -6176...6111

    /// Decodes an element of a leaf with decimals of 4 bytes.
    @inline(__always)
    init(packed32 bits: UInt32) {
        if bits == 0x7C00_00AA {
            self = .null
        } else {
            self.init(
                high: UInt64(bits >> 31) << 63 | Self.biased(Int(bits >> 23 & 0xFF) - 101) << 49,
                low: UInt64(bits & 0x7F_FFFF))
        }
    }

    /// Decodes an element of a leaf with decimals of 8 bytes.
    @inline(__always)
    init(packed64 bits: UInt64) {
        if bits == 0x7C00_0000_0000_00AA {
            self = .null
        } else {
            self.init(
                high: (bits >> 63) << 63 | Self.biased(Int(bits >> 53 & 0x3FF) - 398) << 49,
                low: bits & 0x1F_FFFF_FFFF_FFFF)
        }
    }

    @inline(__always)
    private static func biased(_ exponent: Int) -> UInt64 { UInt64(exponent + exponentBias) }

    /// Makes a finite number from its parts, which must be in range. Use `init(rounding:)` for
    /// other parts.
    @inline(__always)
    init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
        assert(coefficient < Self.coefficientLimit && Self.exponentRange.contains(exponent))
        self.init(
            high: (isNegative ? 1 << 63 : 0) | Self.biased(exponent) << 49
                | UInt64(truncatingIfNeeded: coefficient >> 64),
            low: UInt64(truncatingIfNeeded: coefficient))
    }
}

extension Decimal128 {
    @inline(__always) var isNull: Bool { self == .null }
    @inline(__always) public var isNaN: Bool { high & 0x7C00 << 48 == 0x7C00 << 48 }
    @inline(__always) var isInfinite: Bool { high & 0x7C00 << 48 == 0x7800 << 48 }
    @inline(__always) public var isFinite: Bool { high & 0x7800 << 48 != 0x7800 << 48 }
    @inline(__always) package var isNegative: Bool { high >> 63 != 0 }
    /// Whether the number is zero, with any sign and exponent.
    var isZero: Bool { isFinite && coefficient == 0 }

    /// Whether the encoding has the second layout of IEEE 754, whose coefficients all have more
    /// than 34 digits.
    @inline(__always)
    private var hasLargeLayout: Bool { high & 0x6000 << 48 == 0x6000 << 48 }

    /// The coefficient of a finite number. An encoded coefficient of more than 34 digits counts as
    /// zero, as IEEE 754 requires.
    var coefficient: UInt128 {
        let digits = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return hasLargeLayout || digits >= Self.coefficientLimit ? 0 : digits
    }

    /// The exponent of a finite number, -6176 ... 6111.
    var exponent: Int {
        Int(high >> (hasLargeLayout ? 47 : 49) & 0x3FFF) - Self.exponentBias
    }

    @inline(__always)
    package static prefix func - (value: Decimal128) -> Decimal128 {
        Decimal128(high: value.high ^ 1 << 63, low: value.low)
    }
}
