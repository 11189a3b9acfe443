/// A function of values that are added in the order of `ValueOrder`. Equal values are added in one
/// call.
protocol OrderedComputation {
    /// Adds the next value in ascending order, which occurs `times` times. Returns false if no more
    /// values are needed.
    mutating func add(_ value: Value, times: Int64) -> Bool
    var result: Value { get }
}

/// The median of `count` values: the middle value or the mean of the two middle values; null
/// without values.
struct Median: OrderedComputation {
    private let count: Int128
    private let element: OperandType
    private var added: Int128 = 0
    private var middle: (low: Value, high: Value) = (.null, .null)

    init(count: Int128, of element: OperandType) {
        self.count = count
        self.element = element
    }

    mutating func add(_ value: Value, times: Int64) -> Bool {
        let (low, high) = ((count - 1) / 2, count / 2)
        let end = added + Int128(times)
        if low >= added, low < end { middle.low = value }
        added = end
        guard high < end else { return true }
        middle.high = value
        return false
    }

    var result: Value {
        switch (middle.low, middle.high) {
        case (.int(let low), .int(let high)) where element == .int:
            return .double(Double(Int128(low) + Int128(high)) / 2)
        case (.float(let low), .float(let high)) where element == .float:
            return .double((Double(low) + Double(high)) / 2)
        case (.double(let low), .double(let high)) where element == .double:
            let mean = (low + high) / 2
            let isTooLarge = mean.isInfinite && low.isFinite && high.isFinite
            return .double(isTooLarge ? low / 2 + high / 2 : mean)
        default:
            guard let low = middle.low.decimalNumber, let high = middle.high.decimalNumber else {
                return .null
            }
            return .decimal((low + high) / Decimal128(2))
        }
    }
}

/// Number of different values, each counted once.
struct DistinctCount: OrderedComputation {
    private var count: Int64 = 0

    mutating func add(_ value: Value, times: Int64) -> Bool {
        count += 1
        return true
    }

    var result: Value { .int(count) }
}

/// Aggregate state with the number of values to which the function applies.
struct ValueCount: AggregateState {
    private let filter: ValueFilter
    private(set) var count: Int128 = 0

    init(_ filter: ValueFilter) { self.filter = filter }

    mutating func add(_ value: Value, times: Int64) {
        if filter.accepts(value) { count &+= Int128(times) }
    }

    mutating func merge(_ other: Self) { count &+= other.count }

    var result: Value { .int(Int64(clamping: count)) }
}
