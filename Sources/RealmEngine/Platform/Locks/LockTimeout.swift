/// Maximum time to wait for a lock of another thread or process, for each lock separately.
public enum LockTimeout: Sendable {
    case none
    case milliseconds(Int)
    case forever

    /// Returns this timeout, or `milliseconds` if that is longer.
    func atLeast(milliseconds: Int) -> LockTimeout {
        switch self {
        case .none: .milliseconds(milliseconds)
        case .milliseconds(let time): .milliseconds(max(time, milliseconds))
        case .forever: .forever
        }
    }

    /// The time at which the timeout ends if it begins now; nil for `forever`.
    var deadline: Deadline? {
        switch self {
        case .none: .after(milliseconds: 0)
        case .milliseconds(let time): .after(milliseconds: max(0, min(time, 1 << 40)))
        case .forever: nil
        }
    }
}
