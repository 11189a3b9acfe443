import CRealmSystem

/// An unretained reference in a list. The object it refers to removes the reference from the list
/// in its `deinit`. The list's lock must be held for that, and for every use of the reference.
///
/// Costs the object nothing, in contrast to a weak reference: once an object was referenced weakly,
/// its reference count is in a side table, where counting is several times slower.
struct UnretainedEntry<Object: AnyObject>: @unchecked Sendable {
    let id: ObjectIdentifier
    private let address: UnsafeMutableRawPointer

    init(_ object: Object) {
        id = ObjectIdentifier(object)
        address = Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object, retained; nil if its `deinit` has begun and waits for the lock of the list that
    /// contains this reference.
    var object: Object? {
        swift_tryRetain(address).map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
    }
}
