/// A weak reference that is shared by all who refer to an object. The object owns the box, calls
/// `begin` once it is initialised and `end` first thing in its `deinit`. Free to cross threads; the
/// object itself is only used in its own context.
///
/// For objects that are retained and released often; `UnretainedEntry` explains the cost of `Weak`.
package final class WeakBox<Object: AnyObject>: Sendable {
    private let place = LockedValue<UnretainedEntry<Object>?>(nil)

    package init() {}

    /// Makes `object` available.
    package func begin(_ object: Object) {
        let known = UnretainedEntry(object)
        place.withLock { $0 = known }
    }

    /// Makes the object unavailable. Returns when no thread is reading the reference, so that the
    /// object's memory may be freed.
    package func end() { place.withLock { $0 = nil } }

    /// The object; nil before `begin` and once its `deinit` has begun.
    package var object: Object? { place.withLock { $0?.object } }
}
