import CRealmSystem

/// An unretained reference in a list, to an object that removes it from the list in its `deinit`.
/// The list's lock is held for that and for every use of the reference.
///
/// Costs the object nothing. An object that was ever referred to weakly keeps its reference count
/// in a side table, where counting is several times slower.
struct UnretainedEntry<Object: AnyObject>: @unchecked Sendable {
    let id: ObjectIdentifier
    private let address: UnsafeMutableRawPointer

    init(_ object: Object) {
        id = ObjectIdentifier(object)
        address = Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object, retained; nil if its `deinit` has begun and waits for the list's lock.
    var object: Object? {
        swift_tryRetain(address).map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
    }
}
