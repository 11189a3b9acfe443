import ToolKit

/// Passes a value to other threads without a check by the compiler. The threads must use each
/// database object on one thread only, and everything else under a lock or read-only.
struct UncheckedSendableBox<T>: @unchecked Sendable {
    let value: T
    init(_ value: T) { self.value = value }
}
