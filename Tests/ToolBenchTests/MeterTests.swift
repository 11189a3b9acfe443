import Glibc
import RealmEngine
import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// Times that the meter counts and excludes.
@Suite struct MeterTests {
    private func meter(
        rate: Double? = nil, limit: UInt64? = nil, inject: String? = nil, middle: Int = 0
    ) throws -> Meter {
        let injection =
            try inject.map { text in try #require(Injection(text)) } ?? Injection()
        return Meter(
            rate: rate, lateThreshold: 50_000_000, limit: limit, injection: injection,
            middle: middle)
    }

    /// A stall of 200 ms among operations that take no time: the closed loop records one slow
    /// operation in 1000, the open loop every operation that had to wait.
    @Test func anOpenLoopShowsAStallThatAClosedLoopHides() throws {
        var closed = try meter(inject: "stall=200ms", middle: 500)
        closed.start()
        for _ in 0..<1000 { closed.lap() }
        closed.stop()
        #expect(closed.histogram.value(atShare: 0.99) < 200_000_000)
        #expect(closed.histogram.maximum >= 200_000_000)
        #expect(closed.responses.count == 0)

        var open = try meter(rate: 2000, inject: "stall=200ms", middle: 500)
        open.start()
        for _ in 0..<1000 { open.lap() }
        open.stop()
        #expect(open.responses.count == 1000)
        // 400 operations should have begun during the stall; some waited for almost all of it.
        #expect(open.responses.value(atShare: 0.99) >= 150_000_000)
        #expect(open.late >= 250)
        #expect(open.lags.value(atShare: 0.99) >= 150_000_000)
        // From their actual start, all operations but one took no time.
        #expect(open.histogram.value(atShare: 0.99) < 200_000_000)
    }

    @Test func operationsBeginAtTheirScheduledTimeOrLater() throws {
        var meter = try meter(rate: 10_000)
        meter.start()
        for _ in 0..<100 { meter.lap() }
        meter.stop()
        #expect(meter.elapsed >= 9_900_000)
        // A pause shifts the schedule, so that no operation is late.
        let late = meter.late
        usleep(100_000)
        meter.start()
        meter.lap()
        meter.stop()
        #expect(meter.late == late)
        #expect(meter.operations == 101 && meter.responses.count == 101)
    }

    @Test func injectedDelaysMakeOperationsSlower() throws {
        var meter = try meter(inject: "slow=300%")
        meter.start()
        for _ in 0..<5 {
            usleep(2000)
            meter.lap()
        }
        meter.stop()
        #expect(meter.histogram.minimum >= 8_000_000)
        #expect(meter.elapsed >= 40_000_000)
    }

    @Test func timeLimitsEndARun() throws {
        var meter = try meter(limit: 5_000_000)
        meter.start()
        #expect(!meter.isOver)
        usleep(6000)
        meter.lap()
        #expect(meter.isOver)
        meter.stop()
    }

    @Test func injectionsAreParsed() {
        #expect(Injection("slow=30%")?.slowdown == 0.3)
        #expect(Injection("stall=200ms")?.stall == 200_000_000)
        let both = Injection("slow=5%,stall=1s")
        #expect(both?.slowdown == 0.05 && both?.stall == 1_000_000_000)
        for text in ["", "slow", "slow=30", "slow=-1%", "stall=5", "stop=1s", "slow=nan%"] {
            #expect(Injection(text) == nil, "\(text)")
        }
    }
}

/// Distributions of chosen objects.
@Suite struct KeyChooserTests {
    private func counts(_ text: String, _ count: Int, draws: Int = 20_000) throws -> [Int] {
        var chooser = KeyChooser(try #require(Distribution(text)), count: count, seed: 3)
        var counts = [Int](repeating: 0, count: count)
        for _ in 0..<draws { counts[chooser.choose(count)] += 1 }
        return counts
    }

    @Test func uniformChoicesCoverAllKeys() throws {
        let counts = try counts("uniform", 10)
        #expect(counts.allSatisfy { (1700...2300).contains($0) }, "\(counts)")
    }

    @Test func sequentialChoicesFollowTheOrderOfKeys() throws {
        #expect(try counts("sequential", 10, draws: 25) == [3, 3, 3, 3, 3, 2, 2, 2, 2, 2])
    }

    @Test func latestChoicesPreferTheNewestKeys() throws {
        let counts = try counts("latest", 1000)
        // Rank n has the probability 1 / n^0.99 / zeta(1000), which is about 1 / 7.73 for n = 1.
        #expect((2300...2900).contains(counts[999]), "\(counts[999])")
        #expect((1150...1500).contains(counts[998]), "\(counts[998])")
        #expect(counts[0] < 30)
    }

    @Test func zipfianChoicesPreferAFewKeys() throws {
        let sorted = try counts("zipfian", 1000).sorted(by: >)
        #expect(sorted[0] > 2000)
        #expect(sorted.prefix(100).reduce(0, +) > 10_000)
        let flat = try counts("zipfian:0.1", 1000).sorted(by: >)
        #expect(flat[0] < 200)
    }

    @Test func choicesFollowAGrowingCount() {
        var chooser = KeyChooser(.latest, count: 1, seed: 1)
        for count in 1...500 { #expect((0..<count).contains(chooser.choose(count))) }
    }

    @Test func invalidDistributionsAreRefused() {
        for text in ["", "zipf", "zipfian:", "zipfian:0", "zipfian:1", "zipfian:x", "latest:0.5"] {
            #expect(Distribution(text) == nil, "\(text)")
        }
        #expect(Distribution("zipfian")?.text == "zipfian:0.99")
    }
}
