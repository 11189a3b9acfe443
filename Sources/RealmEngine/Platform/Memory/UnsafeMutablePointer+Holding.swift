/// Memory for a value that changes with every object. In a stored property of a class, each access
/// would be checked for exclusivity.
extension UnsafeMutablePointer where Pointee: ~Copyable {
    /// Allocates memory for `value`; the caller frees it with `release`.
    static func holding(_ value: consuming Pointee) -> Self {
        let memory = allocate(capacity: 1)
        memory.initialize(to: value)
        return memory
    }

    func release() {
        deinitialize(count: 1)
        deallocate()
    }
}
