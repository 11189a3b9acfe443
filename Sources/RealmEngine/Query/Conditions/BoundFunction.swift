/// A function of one value, with its parameters such as the time zone.
package final class BoundFunction: Sendable {
    let function: ScalarFunction
    private let zone: ZoneRules
    /// Width to which `floor` rounds, an integer or a double.
    private let width: Value
    /// Owner of the bytes of the texts that `value(of:)` returns.
    private let texts = LockedValue(Texts())

    private struct Texts {
        let pool = ConstantPool()
        var cachedResult: [Period: ByteView] = [:]

        mutating func view(_ period: Period) -> ByteView {
            if let view = cachedResult[period] { return view }
            let view = pool.view(period.text)
            cachedResult[period] = view
            return view
        }
    }

    init(_ function: ScalarFunction, _ zone: ZoneRules, width: Value) {
        (self.function, self.zone, self.width) = (function, zone, width)
    }

    /// Returns the function's result; null if the function is not defined for `value`. A returned
    /// text remains valid while this object exists.
    package func value(of value: Value) -> Value {
        if function == .floor { return floored(value) }
        guard case .timestamp(let time) = value else { return .null }
        let local = zone.local(time)
        switch function {
        case .year: return .int(local.year)
        case .weekday: return .int(Int64(Period.weekday(local)))
        case .hour: return text(Period(.hour, local))
        case .day: return text(Period(.day, local))
        case .week: return text(Period(.week, local))
        case .month: return text(Period(.month, local))
        case .quarter: return text(Period(.quarter, local))
        case .floor: return .null
        }
    }

    private func text(_ period: Period) -> Value { .string(texts.withLock { $0.view(period) }) }

    /// Rounds a number down to a multiple of the second argument of `floor`.
    private func floored(_ value: Value) -> Value {
        switch (value, width) {
        case (.int(let number), .int(let width)):
            let rest = number % width
            let (floor, isOverflow) = number.subtractingReportingOverflow(
                rest < 0 ? rest + width : rest)
            return isOverflow ? .null : .int(floor)
        case (.int(let number), .double(let width)):
            return .double(Self.floor(Double(number), width))
        case (.double(let number), .int(let width)):
            return .double(Self.floor(number, Double(width)))
        case (.double(let number), .double(let width)): return .double(Self.floor(number, width))
        case (.float(let number), .int(let width)):
            return .double(Self.floor(Double(number), Double(width)))
        case (.float(let number), .double(let width)):
            return .double(Self.floor(Double(number), width))
        default: return .null
        }
    }

    private static func floor(_ number: Double, _ width: Double) -> Double {
        (number / width).rounded(.down) * width
    }
}
