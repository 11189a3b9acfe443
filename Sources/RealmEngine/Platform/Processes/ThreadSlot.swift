import Glibc

/// A thread-local strong reference, released when the thread ends. Free to cross threads.
package final class ThreadSlot: Sendable {
    private let key: pthread_key_t

    package init() {
        var key = pthread_key_t()
        pthread_key_create(&key) { place in
            place.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
        }
        self.key = key
    }

    deinit { pthread_key_delete(key) }

    /// The calling thread's object.
    package var object: AnyObject? {
        get {
            pthread_getspecific(key).map {
                Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
            }
        }
        set {
            let old = object
            pthread_setspecific(key, newValue.map { Unmanaged.passRetained($0).toOpaque() })
            if let old { Unmanaged.passUnretained(old).release() }
        }
    }
}
