/// Comparison of numbers of different types (object format 8.3).
extension ValueOrder {
    /// Compares two values, which must be numbers.
    static func compareNumbers(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.decimal(let x), _): Decimal128.compare(x, decimal(b))
        case (_, .decimal(let y)): Decimal128.compare(decimal(a), y)
        case (.int(let x), .int(let y)): order(x, y)
        case (.int(let x), _): compare(x, double(b))
        case (_, .int(let y)): -compare(y, double(a))
        case (.float(let x), .float(let y)): compare(x, y)
        default: compare(double(a), double(b))
        }
    }

    /// Compares exactly. Converting the integer would be inexact beyond 2^53, where a double cannot
    /// represent every integer.
    package static func compare(_ a: Int64, _ b: Double) -> Int {
        if b.isNaN { return 1 }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = b.rounded(.towardZero)
        let truncated = Int64(whole)
        return a != truncated ? order(a, truncated) : order(whole, b)
    }

    /// Compares two doubles. A NaN is less than every number; two NaNs are compared by their bits
    /// as unsigned numbers.
    package static func compare(_ a: Double, _ b: Double) -> Int {
        if a.isNaN || b.isNaN {
            if a.isNaN && b.isNaN { return order(a.bitPattern, b.bitPattern) }
            return a.isNaN ? -1 : 1
        }
        return order(a, b)
    }

    /// Compares two floats. A NaN is less than every number; two NaNs are compared by their bits as
    /// unsigned numbers.
    package static func compare(_ a: Float, _ b: Float) -> Int {
        if a.isNaN || b.isNaN {
            if a.isNaN && b.isNaN { return order(a.bitPattern, b.bitPattern) }
            return a.isNaN ? -1 : 1
        }
        return order(a, b)
    }

    /// Returns a float or double as a double, without loss.
    private static func double(_ value: Value) -> Double {
        switch value {
        case .double(let x): x
        case .float(let x): Double(x)
        default: .nan
        }
    }

    /// Returns a number as a decimal: integers exactly, doubles with 15 digits, floats with 7.
    private static func decimal(_ value: Value) -> Decimal128 {
        switch value {
        case .decimal(let x): x
        case .int(let x): Decimal128(x)
        case .float(let x): Decimal128(x)
        case .double(let x): Decimal128(x)
        default: .nan
        }
    }
}
