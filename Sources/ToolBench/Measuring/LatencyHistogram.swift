import ToolKit

/// Histogram of latencies. The width of its buckets grows with the value.
///
/// Each value below 2048 has its own bucket. Every larger power of two is divided into 1024
/// buckets. Reported values are therefore accurate to 0.1 % (three significant digits). Counts are
/// exact, no value is too large, and histograms can be merged without loss. The maximum and the
/// minimum are exact.
struct LatencyHistogram: Sendable, Equatable {
    /// Values of at most this many bits (0 to 2047) each have their own bucket.
    private static let exactBits = 11
    private static let halfBits = exactBits - 1

    /// Number of values in each bucket, up to the bucket of the largest value. The array grows when
    /// a value exceeds the next power of two.
    private var counts: [UInt64] = []
    /// Number of recorded values.
    private(set) var count: UInt64 = 0
    /// Largest value; 0 if nothing is recorded.
    private(set) var maximum: UInt64 = 0
    /// Smallest value; the maximum integer if nothing is recorded.
    private(set) var minimum = UInt64.max

    init() {}

    /// Records `value` with `times` occurrences.
    @inline(__always)
    mutating func record(_ value: UInt64, times: UInt64 = 1) {
        let bucket = Self.bucket(value)
        if bucket >= counts.count { grow(past: bucket) }
        counts[bucket] &+= times
        count &+= times
        maximum = max(maximum, value)
        minimum = min(minimum, value)
    }

    @inline(never)
    private mutating func grow(past bucket: Int) {
        let wanted = (bucket >> Self.halfBits + 1) << Self.halfBits
        counts += [UInt64](repeating: 0, count: max(0, wanted - counts.count))
    }

    /// Adds all values of another histogram.
    mutating func merge(_ other: LatencyHistogram) {
        if other.count == 0 { return }
        if other.counts.count > counts.count { grow(past: other.counts.count - 1) }
        for i in other.counts.indices { counts[i] &+= other.counts[i] }
        count &+= other.count
        maximum = max(maximum, other.maximum)
        minimum = min(minimum, other.minimum)
    }

    /// Returns a percentile: the smallest value such that `share` (0 to 1) of all values are not
    /// greater. For 0.5, this is the median. It is rounded up to the end of its bucket, but not
    /// beyond the maximum. Returns 0 if nothing is recorded.
    func value(atShare share: Double) -> UInt64 {
        let wanted = max(1, min(count, UInt64((share * Double(count)).rounded(.up))))
        var seen: UInt64 = 0
        for (bucket, number) in counts.enumerated() where number > 0 {
            seen &+= number
            if seen >= wanted { return min(maximum, Self.lastValue(of: bucket)) }
        }
        return 0
    }

    /// The buckets that are not empty, in the order of their values.
    var distribution: [(last: UInt64, count: UInt64)] {
        counts.indices.compactMap { bucket in
            counts[bucket] == 0
                ? nil : (min(maximum, Self.lastValue(of: bucket)), counts[bucket])
        }
    }

    @inline(__always)
    static func bucket(_ value: UInt64) -> Int {
        let bits = 64 - value.leadingZeroBitCount
        if bits <= exactBits { return Int(value) }
        let shift = bits - exactBits
        // The shift keeps the leading bit of the value. Therefore the buckets of each power of two
        // follow the buckets of the previous one.
        return Int(value &>> UInt64(shift)) &+ shift << halfBits
    }

    /// Returns the largest value of a bucket.
    static func lastValue(of bucket: Int) -> UInt64 {
        if bucket < 1 << exactBits { return UInt64(bucket) }
        let shift = bucket >> halfBits - 1
        let leading = UInt64(bucket - shift << halfBits)
        return (leading << UInt64(shift)) | (1 << UInt64(shift) - 1)
    }
}
