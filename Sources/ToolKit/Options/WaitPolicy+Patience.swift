import RealmEngine

extension WaitPolicy {
    /// How long to wait for locks of a session: they are held briefly, so that even without `--wait`
    /// a second is spent on it.
    package var patience: LockTimeout {
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
