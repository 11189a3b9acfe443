import Glibc
import ToolKit

/// Waits for a time, not for a condition.
enum Pause {
    /// Waits for some microseconds. Another thread may use the processor meanwhile.
    static func short() { usleep(20) }

    /// Sleeps until the clock reaches `moment`. May return some microseconds later.
    static func until(_ moment: UInt64) {
        var now = MonotonicClock.nanoseconds()
        while now < moment {
            var wanted = timespec(
                tv_sec: Int((moment &- now) / 1_000_000_000),
                tv_nsec: Int((moment &- now) % 1_000_000_000))
            nanosleep(&wanted, nil)
            now = MonotonicClock.nanoseconds()
        }
    }
}
