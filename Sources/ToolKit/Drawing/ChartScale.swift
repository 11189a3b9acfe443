/// Unit of the numbers along an axis. Determines the notation of numbers, and the distances between
/// ticks.
package enum ChartUnit {
    case number
    case bytes
    /// A duration.
    case seconds
    case percent

    /// Formats a number with its unit.
    package func text(_ value: Double) -> String { text(value, like: value) }

    /// Formats a number in the unit that fits a number of the size of `reference`.
    func text(_ value: Double, like reference: Double) -> String {
        let (size, name) = unit(for: abs(reference))
        return Self.decimals(value / size) + name
    }

    /// Labels of the ticks of an axis, all in the unit that fits `reference`.
    func labels(_ ticks: [Double], like reference: Double) -> [String] {
        ticks.map { $0 == 0 ? "0" : text($0, like: reference) }
    }

    /// Returns the size and the name of the unit for a number of the given size.
    private func unit(for size: Double) -> (size: Double, name: String) {
        switch self {
        case .number:
            return Self.unit(for: size, 1000, ["", " k", " M", " G", " T"], longest: 10_000)
        case .bytes:
            let names = [" B", " KiB", " MiB", " GiB", " TiB", " PiB"]
            return Self.unit(for: size, 1024, names, longest: 1000)
        case .seconds: return Self.time(for: size)
        case .percent: return (1, "%")
        }
    }

    /// Returns the first unit in which the number is short enough.
    ///
    /// Never inlined: when this function is inlined and unrolled, the compiler emits one of two
    /// different machine codes at random, and builds must be reproducible.
    ///
    /// - Parameter longest: size from which a number without a unit prefix is too long. With a
    ///   prefix, numbers from 1000 on are too long.
    @inline(never)
    private static func unit(
        for size: Double, _ factor: Double, _ names: [String], longest: Double
    ) -> (size: Double, name: String) {
        var (unit, index) = (1.0, 0)
        while size / unit >= (index > 0 ? 1000 : longest), index + 1 < names.count {
            (unit, index) = (unit * factor, index + 1)
        }
        return (unit, names[index])
    }

    private static func time(for size: Double) -> (size: Double, name: String) {
        if size == 0 { return (1, " s") }
        if size < 1e-6 { return (1e-9, " ns") }
        if size < 1e-3 { return (1e-6, " µs") }
        if size < 1 { return (1e-3, " ms") }
        if size < 120 { return (1, " s") }
        return size < 7200 ? (60, " min") : (3600, " h")
    }

    /// The smallest round distance between ticks that is at least `least`.
    func step(atLeast least: Double) -> Double {
        switch self {
        case .bytes:
            var unit = 1.0
            // 1000 KiB is avoided because it would be printed as 0.977 MiB.
            while unit * 500 < least { unit *= 1024 }
            return unit * Self.round(least / unit)
        case .seconds where least > 1:
            return Self.roundTimes.first { $0 >= least } ?? 86400 * Self.round(least / 86400)
        default: return Self.round(least)
        }
    }

    private static let roundTimes: [Double] = [
        2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200,
    ]

    /// The smallest number of the series 1, 2, 5, 10, 20 ... that is at least `least`.
    private static func round(_ least: Double) -> Double {
        guard least > 0, least.isFinite else { return 1 }
        var power = 1.0
        while power * 10 <= least { power *= 10 }
        while power > least { power /= 10 }
        return ([1, 2, 5, 10].first { power * $0 >= least * 0.999_999 } ?? 10) * power
    }

    /// Formats a number with at most three significant digits and without trailing zeros.
    static func decimals(_ value: Double) -> String {
        let size = abs(value)
        let scale = size >= 100 ? 1 : size >= 10 ? 10 : size >= 0.995 ? 100 : 1000
        let scaled = Int((min(size, 1e15) * Double(scale)).rounded())
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: scale)
        let sign = value < 0 && scaled > 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        // Adding `scale` puts a 1 before the fraction, which preserves the leading zeros of the
        // fraction.
        var digits = String(scale + rest).dropFirst()
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}

/// Converts numbers to positions along one axis.
struct ChartScale {
    let low: Double
    let high: Double
    let ticks: [Double]
    /// Labels of the ticks along the axis.
    let labels: [String]
    private let start: Double
    private let end: Double
    private let isLogarithmic: Bool

    /// - Parameters:
    ///   - values: numbers that the scale has to include.
    ///   - start: position of the low end; `end` is the position of the high end.
    ///   - count: approximate number of ticks.
    init(
        _ values: some Sequence<Double>, from start: Double, to end: Double, unit: ChartUnit,
        ticks count: Int, fromZero: Bool = true, isLogarithmic: Bool = false, isTight: Bool = false
    ) {
        let finite = values.filter(\.isFinite)
        let least = finite.min() ?? 0
        let most = finite.max() ?? 1
        self.start = start
        self.end = end
        self.isLogarithmic = isLogarithmic && least > 0
        if self.isLogarithmic {
            (low, high, ticks) = Self.decades(least, most)
            // Plain numbers are written without a prefix. Other units use the prefix that fits the
            // middle tick.
            labels = unit.labels(ticks, like: unit == .number ? 1 : ticks[ticks.count / 2])
            return
        }
        let bottom = fromZero ? min(0, least) : least
        let span = max(most - bottom, abs(most) * 1e-9, 1e-12)
        let step = unit.step(atLeast: span / Double(max(1, count)))
        low = isTight ? bottom : (bottom / step).rounded(.down) * step
        high = isTight ? bottom + span : max(low + step, (most / step - 1e-9).rounded(.up) * step)
        let first = (low / step - 1e-9).rounded(.up)
        let last = (high / step + 1e-9).rounded(.down)
        let count = first > last ? 0 : Int(min(last - first, 50)) + 1
        ticks = (0..<count).map { (first + Double($0)) * step }
        labels = unit.labels(ticks, like: step)
    }

    private static func decades(_ least: Double, _ most: Double) -> (Double, Double, [Double]) {
        var low = 1.0
        while low > least { low /= 10 }
        while low * 10 <= least { low *= 10 }
        var ticks = [low]
        while ticks.last! < most, ticks.count < 30 { ticks.append(ticks.last! * 10) }
        if ticks.count == 1 { ticks.append(low * 10) }
        return (low, ticks.last!, ticks)
    }

    func position(_ value: Double) -> Double {
        let share =
            isLogarithmic
            ? Self.log10(max(value, low) / low) / Self.log10(high / low)
            : (value - low) / (high - low)
        return start + (end - start) * min(max(share, -0.01), 1.01)
    }

    /// Logarithm by repeated squaring: three digits are enough here, and this file then needs no C
    /// library.
    private static func log10(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        let log2 = Double(value.exponent) + log2OfSignificand(value.significand)
        return log2 * 0.301_029_995_663_981_2
    }

    private static func log2OfSignificand(_ value: Double) -> Double {
        var (value, result, bit) = (value, 0.0, 0.5)
        for _ in 0..<32 {
            value *= value
            if value >= 2 {
                value /= 2
                result += bit
            }
            bit /= 2
        }
        return result
    }
}
