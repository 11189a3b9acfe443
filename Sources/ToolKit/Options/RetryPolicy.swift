import Glibc

/// Limits how often a database is read again because other processes change it (realm-tools(7),
/// ACCESS).
package struct RetryPolicy {
    private static let attempts = 3

    private let wait: WaitPolicy
    private let began = MonotonicClock.nanoseconds()
    private var attempt = 1

    package init(_ wait: WaitPolicy) { self.wait = wait }

    /// Whether the database may be read again after a change by another process. Pauses 10 ms if it
    /// was read at least three times.
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
