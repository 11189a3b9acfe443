/// Converts tests of ordered values to ranges of numbers. Finds the limits of the ranges by
/// bisection with the test itself, so that they are exact for constants of every numeric type.
enum TestBounds {
    /// Whether the test can be expressed by ranges.
    static func isRangeTest(_ test: ColumnTest) -> Bool {
        !test.relation.isTextual && test.relation != .text
    }

    /// Returns the ranges of integers that match the test; if `isNegated`, the ranges of integers
    /// that do not match.
    static func integers(_ test: ColumnTest) -> (ranges: [IntegerRange], isNegated: Bool) {
        switch test.operand {
        case .members(let members):
            var ranges: [IntegerRange] = []
            for member in members {
                guard case .int(let value) = member else { continue }
                ranges.append(IntegerRange(low: value, high: value))
            }
            return (joined(ranges), false)
        case .anyOf(let values):
            return (joined(values.flatMap { integers(.equal, constant: $0).ranges }), false)
        case .range(let low, let high):
            let range = IntegerRange(
                low: firstInteger { matches(.greaterEqual, .int($0), low) } ?? 1,
                high: lastInteger { matches(.lessEqual, .int($0), high) } ?? 0)
            return ([range].filter { !$0.isEmpty }, false)
        case .strict(let constant), .general(let constant):
            return integers(test.relation, constant: constant)
        }
    }

    /// Returns the ranges of integers that match a comparison with `constant`; if `isNegated`, the
    /// ranges of integers that do not match.
    static func integers(
        _ relation: QueryRelation, constant: Value
    ) -> (ranges: [IntegerRange], isNegated: Bool) {
        if case .null = constant { return ([], relation == .notEqual) }
        if case .int(let whole) = constant {
            let range = range(relation, whole)
            return (range.isEmpty ? [] : [range], relation == .notEqual)
        }
        let first: Int64?
        let last: Int64?
        switch relation {
        case .less, .lessEqual:
            first = .min
            last = lastInteger { matches(relation, .int($0), constant) }
        case .greater, .greaterEqual:
            first = firstInteger { matches(relation, .int($0), constant) }
            last = .max
        default:
            first = firstInteger { matches(.greaterEqual, .int($0), constant) }
            last = lastInteger { matches(.lessEqual, .int($0), constant) }
        }
        let isNegated = relation == .notEqual
        guard let first, let last, first <= last else { return ([], isNegated) }
        return ([IntegerRange(low: first, high: last)], isNegated)
    }

    /// Returns the range of integers `y` for which `y relation x` is true. For `!=`, returns the
    /// range that contains only `x`.
    private static func range(_ relation: QueryRelation, _ x: Int64) -> IntegerRange {
        switch relation {
        case .less: x == .min ? .none : IntegerRange(low: .min, high: x - 1)
        case .lessEqual: IntegerRange(low: .min, high: x)
        case .greater: x == .max ? .none : IntegerRange(low: x + 1, high: .max)
        case .greaterEqual: IntegerRange(low: x, high: .max)
        default: IntegerRange(low: x, high: x)
        }
    }

    private static func matches(_ relation: QueryRelation, _ a: Value, _ b: Value) -> Bool {
        ValueRules.matches(relation, a, b, folding: .none)
    }

    /// Returns the ranges sorted, with overlapping and adjacent ranges joined.
    static func joined(_ ranges: [IntegerRange]) -> [IntegerRange] {
        var result: [IntegerRange] = []
        for range in ranges.ordered(by: { $0.low < $1.low }) {
            if let last = result.last, last.high == .max || range.low <= last.high + 1 {
                result[result.count - 1].high = max(last.high, range.high)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Returns the first integer that passes a test that is monotonic from false to true; nil if
    /// none does.
    private static func firstInteger(_ test: (Int64) -> Bool) -> Int64? {
        let bits = firstPlace(through: .max) { test(Int64(bitPattern: $0 ^ 1 << 63)) }
        return bits.map { Int64(bitPattern: $0 ^ 1 << 63) }
    }

    /// Returns the last integer that passes a test that is monotonic from true to false; nil if
    /// none does.
    private static func lastInteger(_ test: (Int64) -> Bool) -> Int64? {
        guard let end = firstInteger({ !test($0) }) else { return .max }
        return end == .min ? nil : end - 1
    }

    /// Returns the first number from 0 to `limit` that passes a test that is monotonic from false
    /// to true, by bisection; nil if none does.
    private static func firstPlace(
        through limit: UInt64, _ test: (UInt64) -> Bool
    ) -> UInt64? {
        guard test(limit) else { return nil }
        var low: UInt64 = 0
        var high = limit
        while low < high {
            let middle = low + (high - low) / 2
            if test(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

// MARK: - Floating point

extension TestBounds {
    /// Range of doubles from `low` to `high`; empty if `low > high`.
    struct DoubleRange {
        var low: Double
        var high: Double
    }

    /// Returns the ranges of doubles, without NaN, that match the test; if `isNegated`, the ranges
    /// that do not match.
    static func doubles(
        _ test: ColumnTest, isFloat: Bool
    ) -> (ranges: [DoubleRange], isNegated: Bool) {
        let isNegated = test.relation == .notEqual
        func value(_ x: Double) -> Value { isFloat ? .float(Float(x)) : .double(x) }
        switch test.operand {
        case .members(let members):
            var ranges: [DoubleRange] = []
            for member in members {
                let x = number(member)
                if !x.isNaN { ranges.append(DoubleRange(low: x, high: x)) }
            }
            return (ranges, false)
        case .anyOf(let values):
            return (
                values.flatMap { doubles(equalTo: $0, isFloat: isFloat) }, false
            )
        case .range(let low, let high):
            return (
                range(
                    first: { matches(.greaterEqual, value($0), low) },
                    last: { matches(.lessEqual, value($0), high) }, isFloat), false
            )
        case .strict(let constant), .general(let constant):
            if case .null = constant { return ([], isNegated) }
            if case .strict = test.operand, ValueRules.isNaN(constant) { return ([], isNegated) }
            let first: (Double) -> Bool
            let last: (Double) -> Bool
            switch test.relation {
            case .less, .lessEqual:
                first = { _ in true }
                last = { matches(test.relation, value($0), constant) }
            case .greater, .greaterEqual:
                first = { matches(test.relation, value($0), constant) }
                last = { _ in true }
            default:
                first = { matches(.greaterEqual, value($0), constant) }
                last = { matches(.lessEqual, value($0), constant) }
            }
            return (range(first: first, last: last, isFloat), isNegated)
        }
    }

    /// Returns the doubles, or the floats if `isFloat`, that equal a number of any type.
    static func doubles(equalTo constant: Value, isFloat: Bool) -> [DoubleRange] {
        func value(_ x: Double) -> Value { isFloat ? .float(Float(x)) : .double(x) }
        return range(
            first: { matches(.greaterEqual, value($0), constant) },
            last: { matches(.lessEqual, value($0), constant) }, isFloat)
    }

    private static func number(_ value: Value) -> Double {
        switch value {
        case .double(let x): x
        case .float(let x): Double(x)
        default: .nan
        }
    }

    /// Returns the range from the lowest number for which `first` is true to the highest number for
    /// which `last` is true. No range is returned if it would be empty.
    private static func range(
        first: (Double) -> Bool, last: (Double) -> Bool, _ isFloat: Bool
    ) -> [DoubleRange] {
        let limit = isFloat ? place(Float.infinity) : place(Double.infinity)
        let lowest = isFloat ? place(-Float.infinity) : place(-Double.infinity)
        func value(_ place: UInt64) -> Double {
            isFloat ? Double(float(place)) : double(place)
        }
        let start = firstPlace(through: limit) { $0 >= lowest && first(value($0)) }
        let end = firstPlace(through: limit) { $0 >= lowest && !last(value($0)) }
        guard let start, end != lowest else { return [] }
        let low = value(start)
        let high = value(end.map { $0 - 1 } ?? limit)
        return low <= high ? [DoubleRange(low: low, high: high)] : []
    }

    // Maps floating-point numbers to integers with the same order. Adjacent numbers differ by one.

    private static func place(_ x: Double) -> UInt64 {
        x.bitPattern >> 63 != 0 ? ~x.bitPattern : x.bitPattern | 1 << 63
    }

    private static func double(_ place: UInt64) -> Double {
        Double(bitPattern: place >> 63 != 0 ? place & ~(1 << 63) : ~place)
    }

    private static func place(_ x: Float) -> UInt64 {
        UInt64(x.bitPattern >> 31 != 0 ? ~x.bitPattern : x.bitPattern | 1 << 31)
    }

    private static func float(_ place: UInt64) -> Float {
        let bits = UInt32(truncatingIfNeeded: place)
        return Float(bitPattern: bits >> 31 != 0 ? bits & ~(1 << 31) : ~bits)
    }
}
