import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

@Suite struct StatisticsTests {
    @Test func mediansAndQuartilesAreInterpolated() {
        #expect(Statistics.median([]) == 0)
        #expect(Statistics.median([3]) == 3)
        #expect(Statistics.median([9, 1, 5]) == 5)
        #expect(Statistics.median([4, 1, 2, 3]) == 2.5)
        #expect(Statistics.quantile([1, 2, 3, 4, 5], 0.25) == 2)
        #expect(Statistics.quantile([1, 2], 0.75) == 1.75)
        #expect(Statistics.quantile([1, 2], 1) == 2)
    }

    @Test func noiseIsTheRelativeInterquartileRange() {
        #expect(Statistics.relativeInterquartileRange([100, 100, 100]) == 0)
        #expect(Statistics.relativeInterquartileRange([100, 110, 90, 120, 80]) == 0.2)
        #expect(Statistics.relativeInterquartileRange([5]) == nil)
        #expect(Statistics.relativeInterquartileRange([0, 0]) == nil)
    }

    @Test func intervalsAreReproducibleAndContainTheMedian() throws {
        let values = [147_800.2, 148_000, 149_100.7, 146_900.3, 148_400.9]
        let first = try #require(Statistics.medianInterval95(values, seed: 1))
        let second = try #require(Statistics.medianInterval95(values, seed: 1))
        #expect(first == second)
        #expect(first.low >= 146_900.3 && first.low <= 148_000)
        #expect(first.high <= 149_100.7 && first.high >= 148_000)
        #expect(Statistics.medianInterval95([1], seed: 1) == nil)
        let same = try #require(Statistics.medianInterval95([7, 7, 7], seed: 3))
        #expect(same == (7, 7))
    }

    /// A 95 % interval does not contain the true median in about one case in twenty.
    @Test func intervalsContainTheTrueMedian() throws {
        var random = SplitMix64(seed: 99)
        var covered = 0
        for round in 0..<300 {
            let values = (0..<15).map { _ in Double(random.below(1_000_001)) }
            let interval = try #require(
                Statistics.medianInterval95(values, seed: UInt64(round)))
            if interval.low <= 500_000, 500_000 <= interval.high { covered += 1 }
        }
        #expect(covered > 264 && covered < 300, "seed 99: \(covered) of 300")
    }

    @Test func randomNumbersAreTheSameForTheSameSeed() {
        // The published sequence of SplitMix64.
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        var seen = Set<Int>()
        for _ in 0..<1000 { seen.insert(random.below(10)) }
        #expect(seen == Set(0..<10))
        #expect(random.below(1) == 0)
    }
}
