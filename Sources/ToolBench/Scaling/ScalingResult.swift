import Glibc
import ToolKit

/// Costs of one workload at one size.
struct ScalingPoint: Sendable {
    /// Argument of `--num` in the runs of this size.
    let num: Int
    let operations: Int
    let runs: Int
    /// Processor time in user mode, in nanoseconds. `system` is the time in kernel mode. Both are
    /// of the run that took the least processor time.
    let user: Int
    let system: Int
    /// Size of the file after the run. `liveBytes` are the bytes that its newest version uses. Both
    /// are nil for workloads that do not write.
    let fileBytes: Int?
    let liveBytes: Int?
    /// Peak memory of the process in bytes, including pages of mapped files.
    let peakMemory: Int

    var processorTime: Int { user + system }

    init(num: Int, runs: [RunStatistics]) {
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

    /// Returns the exponent with which a cost grows from `smaller` to this size: 1 if it is
    /// proportional to `num`, 2 if it is proportional to the square of `num`. Nil if one of the
    /// costs is unknown or 0.
    func exponent(
        since smaller: ScalingPoint, of figure: (ScalingPoint) -> Int?
    ) -> Double? {
        guard let before = figure(smaller), let after = figure(self), before > 0, after > 0,
            num > smaller.num
        else { return nil }
        return log(Double(after) / Double(before)) / log(Double(num) / Double(smaller.num))
    }
}

/// Costs of one workload at all sizes, in ascending order of size.
struct ScalingResult: Sendable {
    let name: String
    var points: [ScalingPoint] = []

    /// Exponents with which processor time and file size grow between the two largest sizes: 1 if
    /// proportional to `num`. Nil if unknown.
    var processorExponent: Double? { exponent(at: points.count - 1, of: \.processorTime) }
    var fileExponent: Double? { exponent(at: points.count - 1, of: \.fileBytes) }

    /// Returns the exponent with which a cost grows from the previous size to the size at `index`;
    /// nil for the first size.
    func exponent(at index: Int, of figure: (ScalingPoint) -> Int?) -> Double? {
        guard index > 0, index < points.count else { return nil }
        return points[index].exponent(since: points[index - 1], of: figure)
    }

    /// Returns the costs whose exponent is greater than `limit`: "CPU" and "file".
    func excesses(over limit: Double) -> [(what: String, exponent: Double)] {
        [("CPU", processorExponent), ("file", fileExponent)].compactMap { what, exponent in
            guard let exponent, exponent > limit else { return nil }
            return (what, exponent)
        }
    }
}

extension RunStatistics {
    /// Nanoseconds of processor time in user and kernel mode.
    var processorTime: Int { usage.userNanoseconds + usage.systemNanoseconds }
}
