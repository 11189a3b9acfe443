/// Memory for a value that changes with every object: overlapping access to what a class stores itself would
/// be looked for each time.
extension UnsafeMutablePointer where Pointee: ~Copyable {
    /// Memory of its own for `value`, until `release`.
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
