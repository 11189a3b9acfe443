/// Memory outside of a class for a value that changes often. If the value were a stored property of
/// the class, each access would be checked for exclusivity.
extension UnsafeMutablePointer where Pointee: ~Copyable {
    /// Allocates memory for `value`. The caller must free it with `release`.
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
