import Glibc

/// Waiting for other threads without a condition.
enum Pause {
    /// Some microseconds, during which another thread may have the processor.
    static func short() { usleep(20) }
}
