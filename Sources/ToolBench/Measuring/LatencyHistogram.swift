import ToolKit

/// How often each latency occurred: counts in buckets that grow with the value.
///
/// Log-linear: values below 2048 have a bucket each, every larger power of two is cut into 1024
/// buckets. So a reported value is off by less than 0.1% (three significant digits), counts are
/// exact, no value is too large, and histograms add up without loss. Maximum and minimum are exact.
struct LatencyHistogram: Sendable, Equatable {
    /// Values with fewer bits than this have a bucket each.
    private static let exactBits = 11
    private static let halfBits = exactBits - 1

    /// As far as the largest value demands, in steps of a power of two of the value.
    private var counts: [UInt64] = []
    /// Values recorded.
    private(set) var count: UInt64 = 0
    /// Largest value; 0 while nothing is recorded.
    private(set) var maximum: UInt64 = 0
    /// Smallest value; the largest possible one while nothing is recorded.
    private(set) var minimum = UInt64.max

    init() {}

    /// Counts `value` once, or `times` times.
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

    /// Counts everything the other one counted.
    mutating func merge(_ other: LatencyHistogram) {
        if other.count == 0 { return }
        if other.counts.count > counts.count { grow(past: other.counts.count - 1) }
        for i in other.counts.indices { counts[i] &+= other.counts[i] }
        count &+= other.count
        maximum = max(maximum, other.maximum)
        minimum = min(minimum, other.minimum)
    }

    /// The smallest value that at least `share` (0 to 1) of all values do not exceed, rounded up to
    /// the end of its bucket but not beyond the maximum. 0 while nothing is recorded.
    func value(atShare share: Double) -> UInt64 {
        let wanted = max(1, min(count, UInt64((share * Double(count)).rounded(.up))))
        var seen: UInt64 = 0
        for (bucket, number) in counts.enumerated() where number > 0 {
            seen &+= number
            if seen >= wanted { return min(maximum, Self.lastValue(of: bucket)) }
        }
        return 0
    }

    /// The buckets in use, in the order of their values.
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
        // The leading bit stays, so each power of two follows the buckets of the one before.
        return Int(value &>> UInt64(shift)) &+ shift << halfBits
    }

    /// The largest value counted in a bucket.
    static func lastValue(of bucket: Int) -> UInt64 {
        if bucket < 1 << exactBits { return UInt64(bucket) }
        let shift = bucket >> halfBits - 1
        let leading = UInt64(bucket - shift << halfBits)
        return (leading << UInt64(shift)) | (1 << UInt64(shift) - 1)
    }
}
