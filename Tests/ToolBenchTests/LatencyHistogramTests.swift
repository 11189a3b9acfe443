import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// The histogram gives the same figures as sorted samples, within the width of its buckets.
@Suite struct LatencyHistogramTests {
    /// Returns samples from a few nanoseconds to some minutes, with all magnitudes equally
    /// frequent.
    private func samples(_ count: Int, seed: UInt64) -> [UInt64] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in random.next() >> UInt64(24 + random.below(40)) }
    }

    @Test func smallValuesAreExact() {
        var histogram = LatencyHistogram()
        for value in 0..<UInt64(2048) { histogram.record(value) }
        #expect(histogram.count == 2048)
        #expect(histogram.minimum == 0)
        #expect(histogram.maximum == 2047)
        #expect(histogram.value(atShare: 0.5) == 1023)
        #expect(histogram.value(atShare: 0.001) == 2)
        #expect(histogram.distribution.map(\.last) == Array(0..<2048))
        #expect(histogram.distribution.allSatisfy { $0.count == 1 })
    }

    @Test func bucketsFollowEachOtherWithoutGaps() {
        var bucket = 0
        while true {
            let last = LatencyHistogram.lastValue(of: bucket)
            #expect(LatencyHistogram.bucket(last) == bucket)
            if last == .max { break }
            #expect(LatencyHistogram.bucket(last + 1) == bucket + 1)
            // The width of a bucket is the maximum error of a reported value.
            let first = bucket == 0 ? 0 : LatencyHistogram.lastValue(of: bucket - 1) + 1
            #expect(last - first <= first / 1024)
            bucket += 1
        }
    }

    @Test(arguments: [1, 2, 3, 10, 999, 100_000])
    func percentilesAgreeWithSortedSamples(count: Int) {
        let seed = UInt64(count)
        let values = samples(count, seed: seed)
        var histogram = LatencyHistogram()
        for value in values { histogram.record(value) }
        let sorted = values.sorted()
        for share in [0.001, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1] {
            let rank = max(1, Int((share * Double(count)).rounded(.up)))
            let exact = sorted[rank - 1]
            let found = histogram.value(atShare: share)
            #expect(found >= exact && found - exact <= exact / 1024, "seed \(seed), share \(share)")
        }
        #expect(histogram.value(atShare: 1) == sorted.last)
        #expect(histogram.minimum == sorted.first)
    }

    @Test func mergingLosesNothing() {
        let values = samples(10_000, seed: 7)
        var whole = LatencyHistogram()
        var parts = [LatencyHistogram](repeating: LatencyHistogram(), count: 3)
        for (i, value) in values.enumerated() {
            whole.record(value)
            parts[i % 3].record(value)
        }
        var merged = LatencyHistogram()
        for part in parts { merged.merge(part) }
        #expect(merged == whole)
        merged.merge(LatencyHistogram())
        #expect(merged == whole)
        #expect(whole.distribution.reduce(0) { $0 + $1.count } == 10_000)
    }

    @Test func groupsCountAsTheirNumberOfValues() {
        var single = LatencyHistogram()
        var grouped = LatencyHistogram()
        for _ in 0..<256 { single.record(5_000_000_000) }
        grouped.record(5_000_000_000, times: 256)
        #expect(single == grouped)
    }

    @Test func extremeValuesAreRecorded() {
        var histogram = LatencyHistogram()
        #expect(histogram.value(atShare: 0.5) == 0)
        histogram.record(.max)
        histogram.record(0)
        #expect(histogram.value(atShare: 1) == .max)
        #expect(histogram.value(atShare: 0.5) == 0)
    }
}
