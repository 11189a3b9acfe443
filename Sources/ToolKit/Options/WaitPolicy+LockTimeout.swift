import RealmEngine

extension WaitPolicy {
    /// Timeout for the locks of a session. Even without `--wait` it is a second, because processes
    /// hold these locks only briefly.
    package var lockTimeout: LockTimeout {
        switch self {
        case .none: return .milliseconds(1000)
        case .forever: return .forever
        case .atMost(let duration):
            let (seconds, attoseconds) = duration.components
            let total = Int128(seconds) * 1000 + Int128(attoseconds / 1_000_000_000_000_000)
            return .milliseconds(Int(clamping: total))
        }
    }
}
