import Glibc
import RealmEngine
import ToolKit

/// The stopwatch of one run: what was measured, and how long each operation took.
///
/// Time counts between `start` and `stop`; preparing operations in between costs nothing. One clock
/// reading both ends an operation and begins the next.
///
/// With a rate the loop is open: operations are meant to begin at fixed moments, whether or not the
/// one before is done, and their latency counts from that moment too. A stall then shows in all the
/// operations it delayed, not only in the one it hit. Confined to one thread.
package struct Meter: Sendable {
    /// How long operations took from when they began.
    private(set) var histogram = LatencyHistogram()
    /// How long they took from when they were meant to begin; empty without a rate.
    private(set) var responses = LatencyHistogram()
    /// How much later than meant operations began.
    private(set) var lags = LatencyHistogram()
    /// Operations that were done later than allowed.
    private(set) var late = 0
    /// Operations done.
    package private(set) var operations = 0
    /// Nanoseconds between all starts and stops.
    private(set) var elapsed: UInt64 = 0
    /// What was used between a stop and a start for the sake of the measurement.
    private(set) var asideUsage = ResourceUsage()
    private var began: UInt64 = 0
    private var lapBegan: UInt64 = 0

    private let lateAfter: UInt64
    private let limit: UInt64
    private let injection: Injection
    /// The operation that stalls; negative for none.
    private var stallAt: Int
    /// Nanoseconds between two intended starts; 0 without a rate.
    private let interval: Double
    private var scheduled = 0
    private var scheduleBegan: UInt64 = 0
    private let isPlain: Bool

    init() { self.init(rate: nil, lateAfter: nil, limit: nil, injection: Injection(), middle: 0) }

    /// - Parameters:
    ///   - rate: operations per second; nil for one after another.
    ///   - limit: nanoseconds after which `isOver`.
    ///   - middle: the operation an injected stall hits.
    init(
        rate: Double?, lateAfter: UInt64?, limit: UInt64?, injection: Injection, middle: Int
    ) {
        interval = rate.map { 1e9 / $0 } ?? 0
        self.lateAfter = lateAfter ?? .max
        self.limit = limit ?? .max
        self.injection = injection
        stallAt = injection.stall > 0 ? middle : -1
        isPlain = rate == nil && injection == Injection()
    }

    /// Begins to measure.
    @inline(__always)
    package mutating func start() {
        began = MonotonicClock.nanoseconds()
        lapBegan = began
        if !isPlain { resume() }
    }

    /// An operation is done. Returns the nanoseconds since `start`.
    @inline(__always) @discardableResult
    package mutating func lap() -> UInt64 {
        if !isPlain { worsen() }
        let now = MonotonicClock.nanoseconds()
        histogram.record(now &- lapBegan)
        operations &+= 1
        lapBegan = now
        if interval > 0 { awaitTurn(now) }
        return now &- began
    }

    /// A group of operations is done that are too short to be timed one by one: each counts as the
    /// same share of the group.
    @inline(__always)
    package mutating func lap(operations group: Int) {
        if !isPlain { worsen() }
        let now = MonotonicClock.nanoseconds()
        if group > 0 {
            histogram.record((now &- lapBegan) / UInt64(group), times: UInt64(group))
            operations &+= group
        }
        lapBegan = now
    }

    /// Operations are done whose single latencies nobody knows.
    mutating func count(operations group: Int) {
        if !isPlain { worsen() }
        operations += group
    }

    /// Operations took that long, as another clock has it.
    mutating func record(_ nanoseconds: UInt64, times: Int = 1) {
        histogram.record(nanoseconds, times: UInt64(times))
        operations += times
    }

    /// Ends measuring, for now or for good.
    @inline(__always)
    package mutating func stop() { elapsed &+= MonotonicClock.nanoseconds() &- began }

    /// Does something that does not belong to the operations: neither its time nor its processor
    /// time counts.
    package mutating func aside<Result>(
        _ body: () throws(RealmError) -> Result
    ) throws(RealmError) -> Result {
        stop()
        let before = ResourceUsage.ofProcessor
        let result = try body()
        asideUsage = asideUsage.adding(ResourceUsage.ofProcessor.since(before))
        start()
        return result
    }

    /// Whether the time for the run is up; asked after a lap.
    @inline(__always)
    package var isOver: Bool { elapsed &+ (lapBegan &- began) >= limit }

    /// Counts what another thread's meter counted in the same time.
    mutating func merge(_ other: Meter) {
        histogram.merge(other.histogram)
        responses.merge(other.responses)
        lags.merge(other.lags)
        late += other.late
        operations += other.operations
    }

    // MARK: Open loop

    /// The schedule stands while the clock does: pauses shift what is still to come.
    private mutating func resume() {
        guard interval > 0 else { return }
        scheduleBegan = began &- elapsed
        awaitStart()
    }

    /// Notes the response time of the operation that ended at `now`, then waits for the next start.
    private mutating func awaitTurn(_ now: UInt64) {
        let intended = scheduleBegan &+ UInt64(Double(scheduled) * interval)
        let response = now > intended ? now &- intended : 0
        responses.record(response)
        if response > lateAfter { late += 1 }
        scheduled += 1
        awaitStart()
    }

    private mutating func awaitStart() {
        let intended = scheduleBegan &+ UInt64(Double(scheduled) * interval)
        var now = MonotonicClock.nanoseconds()
        // Sleeping wakes late, so the last moments are spent looking at the clock.
        if intended > now &+ 200_000 { Pause.until(intended &- 100_000) }
        repeat { now = MonotonicClock.nanoseconds() } while now < intended
        lags.record(now &- intended)
        lapBegan = now
    }

    // MARK: Injection

    /// Makes the present operation take longer.
    private mutating func worsen() {
        if operations >= stallAt, stallAt >= 0 {
            stallAt = -1
            Pause.until(MonotonicClock.nanoseconds() &+ injection.stall)
        }
        guard injection.slowdown > 0 else { return }
        let spent = MonotonicClock.nanoseconds() &- lapBegan
        let end = lapBegan &+ spent &+ UInt64(Double(spent) * injection.slowdown)
        while MonotonicClock.nanoseconds() < end {}
    }
}
