/// `@min @max @sum @avg` (query language 17).
extension QueryEvaluator {
    func append(
        _ aggregate: BoundAggregate, _ spot: Spot, _ repeats: Repeats, to buffer: ValueBuffer
    ) throws(RealmError) {
        let path = aggregate.path
        if let property = aggregate.property {
            let keys = takeKeys()
            defer { giveBack(keys) }
            try reach(path.hops[...], from: spot, .counted, into: keys)
            // In the order of the keys, on which the rounding of sums depends.
            keys.sort()
            var total = Accumulator(aggregate, isLoose: aggregate.element == .mixed)
            for i in 0..<keys.keys.count {
                guard let target = try find(keys.keys[i], in: path.table) else { continue }
                total.add(try target.value(property), times: keys.times(i))
            }
            buffer.values.append(total.result)
            return
        }
        guard case .collection(let column, _) = path.end else { return }
        if path.isToOne {
            let owner = try follow(path.hops[...], from: spot)
            buffer.values.append(try result(aggregate, column, owner))
            return
        }
        let keys = takeKeys()
        defer { giveBack(keys) }
        try reach(path.hops[...], from: spot, repeats, into: keys)
        for key in keys.keys.all {
            guard let owner = try find(key, in: path.table) else { continue }
            buffer.values.append(try result(aggregate, column, owner))
        }
    }

    /// The aggregate of one collection; a missing owner counts as an empty one.
    private func result(
        _ aggregate: BoundAggregate, _ column: BoundColumn, _ owner: Spot?
    ) throws(RealmError) -> Value {
        let isDictionary = column.layout.collection == .dictionary
        let isMinMax = aggregate.function == .min || aggregate.function == .max
        var total = Accumulator(
            aggregate, isLoose: aggregate.element == .mixed || isDictionary && isMinMax)
        guard let owner else { return total.result }
        switch try owner.value(column) {
        case .list(let view), .set(let view):
            if view.root.isNone { break }
            var cursor = elements(of: view, owner)
            while let value = try cursor.next() { total.add(value) }
        case .dictionary(let view):
            var cursor = try entries(of: view, owner)
            while let (_, value) = try cursor.next() { total.add(value) }
        default: break
        }
        return total.result
    }
}

/// An aggregate in the making.
struct Accumulator {
    private let function: QueryAggregate.Function
    private let element: OperandType
    /// Mixed values: every NaN but a decimal's takes part.
    private let isLoose: Bool
    private var count: Int128 = 0
    private var best: Value = .null
    private var wholeSum: Int128 = 0
    private var doubleSum = 0.0
    private var decimalSum = Decimal128.zero

    init(_ aggregate: BoundAggregate, isLoose: Bool) {
        self.init(aggregate.function, aggregate.element, isLoose: isLoose)
    }

    init(_ function: QueryAggregate.Function, _ element: OperandType, isLoose: Bool) {
        self.function = function
        self.element = element
        self.isLoose = isLoose
    }

    /// Adds a value that was found so often.
    mutating func add(_ value: Value, times: Int64 = 1) {
        if case .null = value { return }
        if ValueRules.isNaN(value) {
            if !isLoose { return }
            if case .decimal = value { return }
        }
        switch function {
        case .min: if count == 0 || ValueRules.compare(value, best) < 0 { best = value }
        case .max: if count == 0 || ValueRules.compare(value, best) > 0 { best = value }
        case .sum, .average:
            guard addNumber(value, times) else { return }
        }
        count += Int128(times)
    }

    private mutating func addNumber(_ value: Value, _ times: Int64) -> Bool {
        switch (element, value) {
        case (.int, .int(let x)): wholeSum &+= Int128(x) * Int128(times)
        case (.float, .float(let x)), (.double, .float(let x)):
            doubleSum += Double(x) * Double(times)
        case (.double, .double(let x)), (.float, .double(let x)): doubleSum += x * Double(times)
        default:
            guard let x = Arithmetic.decimal(value) else { return false }
            decimalSum = decimalSum + (times == 1 ? x : x * Decimal128(times))
        }
        return true
    }

    var result: Value {
        switch function {
        case .min, .max: best
        case .sum: sum
        case .average: count == 0 ? .null : average
        }
    }

    private var sum: Value {
        switch element {
        case .int: .int(Int64(truncatingIfNeeded: wholeSum))
        case .float, .double: .double(doubleSum)
        default: .decimal(decimalSum)
        }
    }

    private var decimalCount: Decimal128 {
        let half = Int64(1) << 62
        let high = Int64(truncatingIfNeeded: count >> 62)
        return Decimal128(high) * Decimal128(half)
            + Decimal128(Int64(truncatingIfNeeded: count) & (half - 1))
    }

    private var average: Value {
        switch element {
        case .int: .double(Double(wholeSum) / Double(count))
        case .float, .double: .double(doubleSum / Double(count))
        default: .decimal(decimalSum / decimalCount)
        }
    }
}
