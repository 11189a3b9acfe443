extension Value {
    /// Whether the value is NaN. True for a null decimal, too, because it is stored as a NaN.
    var isNaN: Bool {
        switch self {
        case .float(let x): x.isNaN
        case .double(let x): x.isNaN
        case .decimal(let x): x.isNaN
        default: false
        }
    }

    /// Compares values in the order of `ValueOrder`, but treats all NaNs as equal.
    @inline(__always)
    static func compare(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.int, .int), (.string, .string): ValueOrder.compare(a, b)
        default: a.isNaN && b.isNaN ? 0 : ValueOrder.compare(a, b)
        }
    }

    /// The number as a decimal; nil if the value is no number.
    var decimalNumber: Decimal128? {
        switch self {
        case .int(let x): Decimal128(x)
        case .float(let x): Decimal128(x)
        case .double(let x): Decimal128(x)
        case .decimal(let x): x
        default: nil
        }
    }

    /// The number as a double; nil if the value is no number.
    var doubleNumber: Double? {
        switch self {
        case .int(let x): Double(x)
        case .float(let x): Double(x)
        case .double(let x): x
        case .decimal(let x): x.doubleValue
        default: nil
        }
    }
}
