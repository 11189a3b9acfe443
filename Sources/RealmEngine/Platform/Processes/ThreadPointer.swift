import Glibc

/// A thread-local pointer, initially nil. Its key in the C library is never deleted.
struct ThreadPointer: Sendable {
    private let key: pthread_key_t

    /// - Parameter free: called with the pointer of each thread that ends.
    init(free: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil) {
        var key = pthread_key_t()
        guard pthread_key_create(&key, free) == 0 else {
            fatalError("The process has no more keys for what threads keep for themselves.")
        }
        self.key = key
    }

    /// The calling thread's pointer.
    @inline(__always)
    var value: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        nonmutating set { pthread_setspecific(key, newValue) }
    }
}
