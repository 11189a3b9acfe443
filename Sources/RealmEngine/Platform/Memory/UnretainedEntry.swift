import CRealmSystem

/// A reference that keeps nothing alive, to an object that takes it out of the list that holds it when
/// it goes: both under the list's lock, as every use of the reference.
///
/// Unlike a weak reference it costs the object nothing: one that was ever referred to weakly counts all
/// its references in another place, at several times the cost.
struct UnretainedEntry<Object: AnyObject>: @unchecked Sendable {
    let id: ObjectIdentifier
    private let address: UnsafeMutableRawPointer

    init(_ object: Object) {
        id = ObjectIdentifier(object)
        address = Unmanaged.passUnretained(object).toOpaque()
    }

    /// Nil when the object is going, and waits for the lock to take itself out.
    var object: Object? {
        swift_tryRetain(address).map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
    }
}
