import Glibc

/// A clock that never goes backwards, for measuring durations.
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary fixed time.
    @inline(__always)
    package static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Whether `duration` has passed since `moment`, a result of `nanoseconds`.
    package static func hasPassed(_ duration: Duration, since moment: UInt64) -> Bool {
        nanoseconds() &- moment >= UInt64(max(0, duration.wholeNanoseconds))
    }
}
