import Glibc

/// Time that never goes back, for measuring how long something took.
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment.
    @inline(__always)
    package static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Whether so much time has passed since a moment that `nanoseconds` told.
    package static func hasPassed(_ duration: Duration, since moment: UInt64) -> Bool {
        nanoseconds() &- moment >= UInt64(max(0, duration.wholeNanoseconds))
    }
}
