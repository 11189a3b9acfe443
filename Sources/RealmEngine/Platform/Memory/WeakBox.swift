/// A weak reference that all users of an object share. The object owns the box; it calls `begin`
/// after its initialisation and `end` at the start of its `deinit`. Free to cross threads, but the
/// object may only be used in its own context.
///
/// For objects that are often retained and released; `UnretainedEntry` explains the cost of `Weak`.
package final class WeakBox<Object: AnyObject>: Sendable {
    private let place = LockedValue<UnretainedEntry<Object>?>(nil)

    package init() {}

    /// Makes this box refer to `object`. Called once, at the end of the object's initialisation.
    package func begin(_ object: Object) {
        let known = UnretainedEntry(object)
        place.withLock { $0 = known }
    }

    /// Clears the reference. Returns when no thread is reading the reference, so that the memory of
    /// the object may be freed.
    package func end() { place.withLock { $0 = nil } }

    /// The object; nil before `begin` and after its `deinit` has begun.
    package var object: Object? { place.withLock { $0?.object } }
}
