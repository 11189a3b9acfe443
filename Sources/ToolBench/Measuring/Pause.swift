import Glibc
import ToolKit

/// Waiting without a condition.
enum Pause {
    /// Some microseconds, during which another thread may have the processor.
    static func short() { usleep(20) }

    /// Sleeps until the clock shows `moment`, and some microseconds longer.
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
