@testable import RealmEngine

/// Naive computation of an aggregate function of an array.
struct PlainAggregate {
    private let function: AggregateFunction
    private let type: ColumnType
    private let inDictionary: Bool

    init(_ function: AggregateFunction, _ type: ColumnType, inDictionary: Bool = false) {
        self.function = function
        self.type = type
        self.inDictionary = inDictionary
    }

    /// - Parameter widens: whether a sum beyond 64 bits becomes a double instead of wrapping.
    func result(_ all: [Value], widens: Bool) -> Value {
        let values = all.filter { isCounted($0) }
        switch function.name {
        case "min", "max":
            let isMin = function.name == "min"
            return values.reduce(nil) { (best: Value?, next) in
                guard let best else { return next }
                let order = ValueRules.compare(next, best)
                return isMin ? (order < 0 ? next : best) : (order > 0 ? next : best)
            } ?? .null
        case "count": return .int(Int64(distinct(values).count))
        default: return ofNumbers(values.filter { $0.plainNumber != nil }, widens)
        }
    }

    private func isCounted(_ value: Value) -> Bool {
        let isMinMax = function.name == "min" || function.name == "max"
        switch value {
        case .null: return false
        case .decimal(let x) where x.isNaN: return function.name == "count"
        case .float, .double:
            guard value.plainNumber!.isNaN else { return true }
            let isOurs = function.name == "stddev" || function.name == "median"
            return function.name == "count" || type == .mixed && !isOurs
                || inDictionary && isMinMax
        default: return true
        }
    }

    private func distinct(_ values: [Value]) -> [Value] {
        var found: [Value] = []
        for value in values where !found.contains(where: { ValueNumbers.order($0, value) == 0 }) {
            found.append(value)
        }
        return found
    }

    private func ofNumbers(_ values: [Value], _ widens: Bool) -> Value {
        let numbers = values.map { $0.plainNumber! }
        let isDecimal = type == .decimal || type == .mixed
        switch function.name {
        case "sum" where type == .int:
            let sum = values.reduce(Int128(0)) { (sum, value) in
                if case .int(let x) = value { sum + Int128(x) } else { sum }
            }
            if widens, Int64(exactly: sum) == nil { return .double(Double(sum)) }
            return .int(Int64(truncatingIfNeeded: sum))
        case "sum" where isDecimal: return .decimal(decimalSum(values))
        case "sum": return .double(numbers.reduce(0, +))
        case "avg":
            if values.isEmpty { return .null }
            if isDecimal { return .decimal(decimalSum(values) / Decimal128(values.count)) }
            return .double(numbers.reduce(0, +) / Double(values.count))
        case "stddev":
            if values.count < 2 { return .null }
            let mean = numbers.reduce(0, +) / Double(numbers.count)
            let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            return .double((squares / Double(numbers.count - 1)).squareRoot())
        default:
            if values.isEmpty { return .null }
            let sorted = values.sorted { ValueRules.compare($0, $1) < 0 }
            let middle = [sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2]]
            if isDecimal { return .decimal(decimalSum(middle) / Decimal128(2)) }
            return .double((middle[0].plainNumber! + middle[1].plainNumber!) / 2)
        }
    }

    private func decimalSum(_ values: [Value]) -> Decimal128 {
        values.reduce(.zero) { $0 + Arithmetic.decimal($1)! }
    }

    /// Whether two results have the same type and are equal, apart from the last digits of doubles.
    static func agree(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.double(let x), .double(let y)):
            if x.isNaN || y.isNaN { return x.isNaN && y.isNaN }
            return x == y || (x - y).magnitude <= 1e-9 * Swift.max(x.magnitude, y.magnitude, 1e-3)
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.int, .double), (.double, .int), (.decimal, .double), (.double, .decimal):
            return false
        default: return ValueRules.compare(a, b) == 0
        }
    }
}

extension Value {
    /// The number as a double; nil for other types.
    var plainNumber: Double? {
        switch self {
        case .int(let x): Double(x)
        case .float(let x): Double(x)
        case .double(let x): x
        case .decimal(let x): x.doubleValue
        default: nil
        }
    }
}
