/// The stopwatch of one run: what was measured, and how long each operation took.
///
/// Time counts between `start` and `stop`; preparing operations in between costs nothing. One clock
/// reading both ends an operation and begins the next.
struct Meter: Sendable {
    private(set) var histogram = LatencyHistogram()
    /// Operations done.
    private(set) var operations = 0
    /// Nanoseconds between all starts and stops.
    private(set) var elapsed: UInt64 = 0
    private var began: UInt64 = 0
    private var lapBegan: UInt64 = 0

    /// Begins to measure.
    @inline(__always)
    mutating func start() {
        began = MonotonicClock.nanoseconds()
        lapBegan = began
    }

    /// An operation is done. Returns the nanoseconds since `start`.
    @inline(__always) @discardableResult
    mutating func lap() -> UInt64 {
        let now = MonotonicClock.nanoseconds()
        histogram.record(now &- lapBegan)
        operations &+= 1
        lapBegan = now
        return now &- began
    }

    /// A group of operations is done that are too short to be timed one by one: each counts as the
    /// same share of the group.
    @inline(__always)
    mutating func lap(operations group: Int) {
        let now = MonotonicClock.nanoseconds()
        if group > 0 {
            histogram.record((now &- lapBegan) / UInt64(group), times: UInt64(group))
            operations &+= group
        }
        lapBegan = now
    }

    /// Operations are done whose single latencies nobody knows.
    mutating func count(operations group: Int) { operations += group }

    /// Ends measuring, for now or for good.
    @inline(__always)
    mutating func stop() { elapsed &+= MonotonicClock.nanoseconds() &- began }
}
