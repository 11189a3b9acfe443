/// An object with a stable `id`, for lists in user interfaces.
public protocol ObjectKeyIdentifiable: Identifiable {
    /// Key of the stored object. For an unmanaged object, its address.
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// Key of the stored object. For an unmanaged object, its address.
    public var id: UInt64 {
        if let handle { return UInt64(bitPattern: handle.key.raw) }
        return UInt64(UInt(bitPattern: ObjectIdentifier(self)))
    }
}
