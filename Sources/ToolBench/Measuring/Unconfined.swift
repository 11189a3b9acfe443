import ToolKit

/// What one thread hands to others that use it only as agreed: each handle by one thread, the rest
/// guarded or constant.
struct Unconfined<T>: @unchecked Sendable {
    let value: T
    init(_ value: T) { self.value = value }
}
