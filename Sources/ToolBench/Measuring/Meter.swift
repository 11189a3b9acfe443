import Glibc
import RealmEngine
import ToolKit

/// Stopwatch of one run. Counts operations and records the latency of each.
///
/// Time counts between `start` and `stop` only, so that preparations are not measured. One reading
/// of the clock ends an operation and begins the next.
///
/// A stopwatch may have a rate of operations per second. Each operation then has an intended start,
/// at which it begins if earlier operations have ended. Its response time counts from the intended
/// start. So a stall affects all operations that it delays, not only the operation during which it
/// occurs. Confined to one thread.
package struct Meter: Sendable {
    /// Durations of operations from their actual start.
    private(set) var histogram = LatencyHistogram()
    /// Durations of operations from their intended start; empty unless operations are started at a
    /// fixed rate.
    private(set) var responses = LatencyHistogram()
    /// Delays of actual starts after intended starts.
    private(set) var lags = LatencyHistogram()
    /// Number of operations that ended later than `lateThreshold` allows.
    private(set) var late = 0
    /// Number of completed operations.
    package private(set) var operations = 0
    /// Sum of the nanoseconds from each call of `start` to the next call of `stop`.
    private(set) var elapsed: UInt64 = 0
    /// Resources that calls of `aside` used while the clock was stopped.
    private(set) var asideUsage = ResourceUsage()
    private var began: UInt64 = 0
    private var lapBegan: UInt64 = 0

    private let lateThreshold: UInt64
    private let limit: UInt64
    private let injection: Injection
    /// Index of the operation to be paused (`Injection.stall`); negative for none.
    private var stallAt: Int
    /// Nanoseconds between the intended starts of two operations; 0 if each operation starts after
    /// the previous one.
    private let interval: Double
    private var scheduled = 0
    private var scheduleBegan: UInt64 = 0
    private let isPlain: Bool

    init() {
        self.init(rate: nil, lateThreshold: nil, limit: nil, injection: Injection(), middle: 0)
    }

    /// Creates a stopwatch, which does not run before `start` is called.
    ///
    /// - Parameters:
    ///     - rate: operations per second; nil to start each after the previous one.
    ///     - lateThreshold: nanoseconds after the intended start from which an operation counts as
    ///       late; nil for no limit.
    ///     - limit: nanoseconds after which `isOver` is true; nil for no limit.
    ///     - injection: artificial slowdown of operations.
    ///     - middle: index of the operation that is paused if `injection` has a stall.
    init(
        rate: Double?, lateThreshold: UInt64?, limit: UInt64?, injection: Injection, middle: Int
    ) {
        interval = rate.map { 1e9 / $0 } ?? 0
        self.lateThreshold = lateThreshold ?? .max
        self.limit = limit ?? .max
        self.injection = injection
        stallAt = injection.stall > 0 ? middle : -1
        isPlain = rate == nil && injection == Injection()
    }

    /// Starts the clock.
    @inline(__always)
    package mutating func start() {
        began = MonotonicClock.nanoseconds()
        lapBegan = began
        if !isPlain { resume() }
    }

    /// Records the end of an operation, and the beginning of the next. Returns the nanoseconds
    /// since `start`.
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

    /// Records the end of a group of operations, which are too short to be timed one by one. Each
    /// gets an equal share of the time.
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

    /// Counts operations that are not timed one by one.
    mutating func count(operations group: Int) {
        if !isPlain { worsen() }
        operations += group
    }

    /// Records operations that the caller has timed itself.
    mutating func record(_ nanoseconds: UInt64, times: Int = 1) {
        histogram.record(nanoseconds, times: UInt64(times))
        operations += times
    }

    /// Stops the clock; `start` continues it.
    @inline(__always)
    package mutating func stop() { elapsed &+= MonotonicClock.nanoseconds() &- began }

    /// Runs `body` while the clock is stopped. Its processor time is not counted either.
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

    /// Whether the run had reached its time limit when the most recent operation ended.
    @inline(__always)
    package var isOver: Bool { elapsed &+ (lapBegan &- began) >= limit }

    /// Adds the operations that another thread recorded during the same measurement.
    mutating func merge(_ other: Meter) {
        histogram.merge(other.histogram)
        responses.merge(other.responses)
        lags.merge(other.lags)
        late += other.late
        operations += other.operations
    }

    // MARK: Open loop

    /// Delays the intended starts of all further operations by the time for which the clock was
    /// stopped.
    private mutating func resume() {
        guard interval > 0 else { return }
        scheduleBegan = began &- elapsed
        awaitStart()
    }

    /// Records the response time of the operation that ended at `now`. Then waits for the intended
    /// start of the next one.
    private mutating func awaitTurn(_ now: UInt64) {
        let intended = scheduleBegan &+ UInt64(Double(scheduled) * interval)
        let response = now > intended ? now &- intended : 0
        responses.record(response)
        if response > lateThreshold { late += 1 }
        scheduled += 1
        awaitStart()
    }

    private mutating func awaitStart() {
        let intended = scheduleBegan &+ UInt64(Double(scheduled) * interval)
        var now = MonotonicClock.nanoseconds()
        // Sleeping may end too late, so the last microseconds are spent in a loop that reads the
        // clock.
        if intended > now &+ 200_000 { Pause.until(intended &- 100_000) }
        repeat { now = MonotonicClock.nanoseconds() } while now < intended
        lags.record(now &- intended)
        lapBegan = now
    }

    // MARK: Injection

    /// Prolongs the current operation by the slowdown or the stall of `injection`.
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
