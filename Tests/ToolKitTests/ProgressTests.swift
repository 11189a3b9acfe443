import Testing

@testable import RealmEngine
@testable import ToolKit
@testable import ToolSupport

@Suite struct ProgressTests {
    private let second: UInt64 = 1_000_000_000

    @Test func aTerminalGetsOneLineAfterASecond() throws {
        var progress = ProgressReporter(
            label: "t: f", total: 4 << 30, unit: .bytes, when: .auto, isTerminal: true, now: 0)
        #expect(progress.line(1 << 20, now: second - 1) == nil)
        let due = progress.line(1 << 30, now: 2 * second)
        let first = try #require(due)
        #expect(
            first.hasPrefix("\rt: f  25%  1.0 GiB of 4.0 GiB  512.0 MiB/s  eta 6.0 s  memory "))
        #expect(progress.line(2 << 30, now: 2 * second + 99_999_999) == nil)
        #expect(progress.line(2 << 30, now: 2 * second + 100_000_000) != nil)
    }

    @Test func progressWithoutATerminalNeedsAlways() throws {
        var silent = ProgressReporter(
            label: "t", total: 0, unit: .objects, when: .auto, isTerminal: false, now: 0)
        #expect(silent.line(1, now: 100 * second) == nil)
        var plain = ProgressReporter(
            label: "t", total: 0, unit: .objects, when: .always, isTerminal: false, now: 0)
        #expect(plain.line(1, now: 5 * second - 1) == nil)
        let due = plain.line(50, now: 5 * second)
        let line = try #require(due)
        #expect(line.hasPrefix("t  50 objects  10/s"))
        #expect(line.hasSuffix("\n"))
        #expect(!line.contains("\r"))
        #expect(plain.line(50, now: 9 * second) == nil)
    }

    @Test func neverPrintsNothing() {
        var silent = ProgressReporter(
            label: "t", total: 9, unit: .bytes, when: .never, isTerminal: true, now: 0)
        #expect(silent.line(1, now: 100 * second) == nil)
    }

    @Test func progressStopsAtOneHundredPercent() throws {
        var progress = ProgressReporter(
            label: "t", total: 10, unit: .objects, when: .always, isTerminal: false, now: 0)
        let due = progress.line(11, now: 5 * second)
        let line = try #require(due)
        #expect(line.hasPrefix("t  100%  11 of 10 objects  2/s"))
        #expect(!line.contains("eta"))
    }

    /// Each stage of a meter has its own unit, total and rate.
    @Test func metersHaveStages() throws {
        let meter = ProgressCounter()
        var progress = ProgressReporter(
            label: "t", total: 0, unit: .seconds, when: .always, isTerminal: false, now: 0)
        let waiting = progress.line(meter.state, now: 5 * second)
        #expect(try #require(waiting).hasPrefix("t  5.0 s  memory"))
        meter.begin(.bytes, total: 4 << 20)
        meter.add(1 << 20)
        #expect(progress.line(meter.state, now: 6 * second) == nil)
        let bytes = progress.line(meter.state, now: 10 * second)
        #expect(
            try #require(bytes).hasPrefix("t  25%  1.0 MiB of 4.0 MiB  256.0 KiB/s  eta 12.0 s"))
        meter.begin(.objects, total: 100, name: "sorting")
        meter.set(10)
        #expect(progress.line(meter.state, now: 13 * second) == nil)
        let objects = progress.line(meter.state, now: 15 * second)
        #expect(
            try #require(objects).hasPrefix("t  sorting  10%  10 of 100 objects  5/s  eta 18.0 s"))
    }

    @Test func privateMemoryIsMeasured() throws {
        let memory = try #require(ProgressReporter.privateMemory())
        #expect(memory > 0 && memory < 1 << 40)
    }
}
