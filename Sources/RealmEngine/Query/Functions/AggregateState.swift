/// The state of an aggregate function over values of one type (query language 17).
///
/// Nulls are skipped. So is NaN, with two exceptions that the reference makes as well: among mixed
/// values only the NaN of a decimal is skipped, and for the minimum and maximum of a dictionary the
/// same holds whatever the type of its values. A NaN that is not skipped is the smallest number.
///
/// Contains no references: groups are written to temporary files as bytes.
struct AggregateState {
    /// The type in which values are added up.
    private enum Addition { case whole, binary, decimal }

    let function: AggregateFunction?
    private let addition: Addition
    private let keepsNaN: Bool
    /// Number of values that were added up, or whether there is a `best`.
    private var count: Int128 = 0
    private var whole: Int128 = 0
    private var binary = 0.0
    private var decimal = Decimal128.zero
    /// The least or the greatest value; of equal ones the first.
    private var best = Value.null

    /// - Parameters:
    ///   - function: nil for the number of objects, which `result(objects:)` is given.
    ///   - element: type of the values.
    init(_ function: AggregateFunction?, of element: OperandType, inDictionary: Bool = false) {
        self.function = function
        addition =
            switch element {
            case .int: .whole
            case .float, .double: .binary
            default: .decimal
            }
        keepsNaN = element == .mixed || inDictionary && !(function?.isSum ?? false)
    }

    // MARK: Adding

    /// Adds a value that occurs `times` times.
    mutating func add(_ value: Value, times: Int64 = 1) {
        if case .null = value { return }
        if ValueRules.isNaN(value), !keepsNaN || value.isDecimal { return }
        switch function {
        case .min: addBest(value) { $0 < 0 }
        case .max: addBest(value) { $0 > 0 }
        case .sum, .average: addNumber(value, times)
        case nil: break
        }
    }

    private mutating func addBest(_ value: Value, _ isBetter: (Int) -> Bool) {
        if count == 0 || isBetter(ValueRules.compare(value, best)) { best = value }
        count = 1
    }

    private mutating func addNumber(_ value: Value, _ times: Int64) {
        switch (addition, value) {
        case (.whole, .int(let x)): whole &+= Int128(x) &* Int128(times)
        case (.binary, .float(let x)): binary += Double(x) * Double(times)
        case (.binary, .double(let x)): binary += x * Double(times)
        default:
            guard let x = Arithmetic.decimal(value) else { return }
            decimal = decimal + (times == 1 ? x : x * Decimal128(times))
        }
        count &+= Int128(times)
    }

    /// Adds an integer of a property of integers.
    @inline(__always)
    mutating func addWhole(_ value: Int64) {
        whole &+= Int128(value)
        count &+= 1
    }

    /// Adds a number of a property of floats or doubles; null is one of the NaNs.
    @inline(__always)
    mutating func addBinary(_ value: Double) {
        guard value == value else { return }
        binary += value
        count &+= 1
    }

    mutating func addWhole(sum: Int128, count: Int) {
        whole &+= sum
        self.count &+= Int128(count)
    }

    /// Calls `body` with the sum so far, to which it adds the numbers; returns how many there were.
    mutating func addBinary(_ body: (inout Double) -> Int) { count &+= Int128(body(&binary)) }

    /// Adds what another state of the same function and type was given after this one.
    mutating func merge(_ other: AggregateState) {
        switch function {
        case .min, .max: add(other.best)
        case .sum, .average:
            whole &+= other.whole
            binary += other.binary
            decimal = decimal + other.decimal
            count &+= other.count
        case nil: break
        }
    }

    // MARK: Results

    /// The result by the rules of the query language, where sums of integers wrap.
    var result: Value {
        switch function {
        case .min, .max: best
        case .sum: sum
        case .average: count == 0 ? .null : average
        case nil: .null
        }
    }

    /// The result for `objects` objects. A sum of integers beyond 64 bits is a double.
    func result(objects: Int) -> Value {
        switch function {
        case nil: .int(Int64(objects))
        case .sum where Int64(exactly: whole) == nil: .double(Double(whole))
        default: result
        }
    }

    private var sum: Value {
        switch addition {
        case .whole: .int(Int64(truncatingIfNeeded: whole))
        case .binary: .double(binary)
        case .decimal: .decimal(decimal)
        }
    }

    private var average: Value {
        switch addition {
        case .whole: .double(Double(whole) / Double(count))
        case .binary: .double(binary / Double(count))
        case .decimal: .decimal(decimal / decimalCount)
        }
    }

    private var decimalCount: Decimal128 {
        let half = Int64(1) << 62
        let high = Int64(truncatingIfNeeded: count >> 62)
        return Decimal128(high) * Decimal128(half)
            + Decimal128(Int64(truncatingIfNeeded: count) & (half - 1))
    }
}

extension AggregateFunction {
    /// Whether values are added up.
    var isSum: Bool { self == .sum || self == .average }
}

extension Value {
    fileprivate var isDecimal: Bool {
        if case .decimal = self { return true }
        return false
    }
}
