/// Passes a value that is not `Sendable` to code that runs on another thread. The code must run in
/// the context (queue or actor) to which the value is confined.
struct ThreadTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
