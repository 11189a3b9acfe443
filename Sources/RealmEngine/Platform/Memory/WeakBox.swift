/// Where an object is, for those who refer to it without keeping it and belong to no list. The object
/// holds it, says where it is once it is made, and says as the first thing at its end that it goes. Free
/// to cross threads; what it leads to is used where that belongs.
///
/// For objects whose references are counted often; `Weak` does for others (`UnretainedEntry` says why).
package final class WeakBox<Object: AnyObject>: Sendable {
    private let place = LockedValue<UnretainedEntry<Object>?>(nil)

    package init() {}

    /// `object` can be found from now on.
    package func begin(_ object: Object) {
        let known = UnretainedEntry(object)
        place.withLock { $0 = known }
    }

    /// The object goes. Its memory stays until nobody is looking at it.
    package func end() { place.withLock { $0 = nil } }

    /// Nil before the object was made, and once its end has begun.
    package var object: Object? { place.withLock { $0?.object } }
}
