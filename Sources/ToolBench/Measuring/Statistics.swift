import ToolKit

/// Statistics of a few repeated measurements.
enum Statistics {
    /// Returns the median: the middle value, or the mean of the two middle values. Returns 0 if
    /// there are no values.
    static func median(_ values: [Double]) -> Double { quantile(values.sorted(), 0.5) }

    /// Returns the quantile at `share` (0 to 1) of sorted values. Interpolates between adjacent
    /// values.
    static func quantile(_ sorted: [Double], _ share: Double) -> Double {
        guard let last = sorted.last else { return 0 }
        let place = share * Double(sorted.count - 1)
        let index = Int(place)
        guard index + 1 < sorted.count else { return last }
        return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
    }

    /// Returns the distance between the quartiles, divided by the median. Nil for fewer than two
    /// values.
    static func relativeInterquartileRange(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        let middle = quantile(sorted, 0.5)
        guard sorted.count > 1, middle > 0 else { return nil }
        return (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / middle
    }

    private static let resamples = 2000

    /// Returns the 95 % confidence interval of the median, computed by percentile bootstrap over
    /// the values. Nil for fewer than two values. The same seed results in the same interval.
    static func medianInterval95(
        _ values: [Double], seed: UInt64
    ) -> (low: Double, high: Double)? {
        guard values.count > 1 else { return nil }
        var random = SplitMix64(seed: seed)
        var medians: [Double] = []
        medians.reserveCapacity(resamples)
        var sample = values
        for _ in 0..<resamples {
            for i in sample.indices { sample[i] = values[random.below(values.count)] }
            medians.append(median(sample))
        }
        medians = medians.sorted()
        return (quantile(medians, 0.025), quantile(medians, 0.975))
    }
}
