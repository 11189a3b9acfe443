/// A confined value that crosses threads on its way to the context that uses it.
struct ThreadTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
