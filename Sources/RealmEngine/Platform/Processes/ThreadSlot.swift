import Glibc

/// An object for each thread that has been given one, for as long as the thread lives. Free to cross
/// threads.
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

    /// Of the calling thread.
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
