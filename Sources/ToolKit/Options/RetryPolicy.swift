import Glibc

/// How often to read a database again that others change meanwhile (realm-tools(7), ACCESS).
package struct RetryPolicy {
    private static let attempts = 3

    private let wait: WaitPolicy
    private let began = MonotonicClock.nanoseconds()
    private var attempt = 1

    package init(_ wait: WaitPolicy) { self.wait = wait }

    /// Whether there may be another attempt; pauses before it once there were a few.
    package mutating func mayRepeat() -> Bool {
        switch wait {
        case .none: if attempt >= Self.attempts { return false }
        case .forever: break
        case .atMost(let duration):
            if MonotonicClock.hasPassed(duration, since: began) { return false }
        }
        if attempt >= Self.attempts { usleep(10_000) }
        attempt += 1
        return true
    }
}
