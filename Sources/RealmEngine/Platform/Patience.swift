/// How long to wait for others.
public enum Patience: Sendable {
    case none
    case milliseconds(Int)
    case forever

    /// When it ends, if it begins now; nil for never.
    var deadline: Deadline? {
        switch self {
        case .none: .after(milliseconds: 0)
        case .milliseconds(let time): .after(milliseconds: max(0, min(time, 1 << 40)))
        case .forever: nil
        }
    }
}
