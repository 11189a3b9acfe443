/// Passes a confined value to another thread, in which its own context uses it.
struct ThreadTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
