import Glibc
import ToolKit

/// Costs of one workload at one size.
struct ScalingPoint: Sendable {
    /// `--num` of these runs.
    let num: Int
    let operations: Int
    let runs: Int
    /// Nanoseconds of processor time of the run that took least, in the program and in the kernel.
    let user: Int
    let system: Int
    /// Bytes of the file after the run, and bytes that its newest version uses; nil for workloads
    /// that write nothing.
    let fileBytes: Int?
    let liveBytes: Int?
    /// Bytes of memory at the most, pages of mapped files included.
    let peakMemory: Int

    var processorTime: Int { user + system }

    init(num: Int, runs: [RunFigures]) {
        let best = runs.min { $0.processorTime < $1.processorTime }
        self.num = num
        self.runs = runs.count
        operations = best?.operations ?? 0
        user = best?.usage.userNanoseconds ?? 0
        system = best?.usage.systemNanoseconds ?? 0
        fileBytes = best?.storage?.sizeAtEnd
        liveBytes = best?.storage?.liveBytes
        peakMemory = runs.map(\.peakMemory).max() ?? 0
    }

    /// Exponent of the growth of `figure` from `smaller` to this size: 1 in proportion to `num`, 2
    /// with its square. Nil if one of the figures is unknown or 0.
    func exponent(
        since smaller: ScalingPoint, of figure: (ScalingPoint) -> Int?
    ) -> Double? {
        guard let before = figure(smaller), let after = figure(self), before > 0, after > 0,
            num > smaller.num
        else { return nil }
        return log(Double(after) / Double(before)) / log(Double(num) / Double(smaller.num))
    }
}

/// Costs of one workload at all sizes, in ascending order.
struct ScalingResult: Sendable {
    let name: String
    var points: [ScalingPoint] = []

    /// The exponents between the two largest sizes.
    var processorExponent: Double? { exponent(at: points.count - 1, of: \.processorTime) }
    var fileExponent: Double? { exponent(at: points.count - 1, of: \.fileBytes) }

    /// The exponent between the size at `index` and the one before; nil for the first size.
    func exponent(at index: Int, of figure: (ScalingPoint) -> Int?) -> Double? {
        guard index > 0, index < points.count else { return nil }
        return points[index].exponent(since: points[index - 1], of: figure)
    }

    /// Costs that grow with a larger exponent than `limit`: "CPU" and "file".
    func excesses(over limit: Double) -> [(what: String, exponent: Double)] {
        [("CPU", processorExponent), ("file", fileExponent)].compactMap { what, exponent in
            guard let exponent, exponent > limit else { return nil }
            return (what, exponent)
        }
    }
}

extension RunFigures {
    /// Nanoseconds in the program and in the kernel.
    var processorTime: Int { usage.userNanoseconds + usage.systemNanoseconds }
}
