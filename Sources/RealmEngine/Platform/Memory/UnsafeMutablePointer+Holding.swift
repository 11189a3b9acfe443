/// Memory outside of a class for a value that changes often. As a stored property, the value would
/// be checked for exclusive access each time.
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
