/// How long to wait for others: for each thing that has to be waited for.
public enum LockTimeout: Sendable {
    case none
    case milliseconds(Int)
    case forever

    /// As long, but no shorter than so many milliseconds.
    func atLeast(milliseconds: Int) -> LockTimeout {
        switch self {
        case .none: .milliseconds(milliseconds)
        case .milliseconds(let time): .milliseconds(max(time, milliseconds))
        case .forever: .forever
        }
    }

    /// When it ends, if it begins now; nil for never.
    var deadline: Deadline? {
        switch self {
        case .none: .after(milliseconds: 0)
        case .milliseconds(let time): .after(milliseconds: max(0, min(time, 1 << 40)))
        case .forever: nil
        }
    }
}
