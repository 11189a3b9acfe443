import ToolKit

/// Passes a value to other threads, which must use each handle on one thread only and access the
/// rest under a lock or read-only.
struct UncheckedSendableBox<T>: @unchecked Sendable {
    let value: T
    init(_ value: T) { self.value = value }
}
