/// Objects with an `id` that lasts: the key of what is stored, for an object that is in no realm its
/// own.
public protocol ObjectKeyIdentifiable: Identifiable {
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    public var id: UInt64 {
        if let handle { return UInt64(bitPattern: handle.key.raw) }
        return UInt64(UInt(bitPattern: ObjectIdentifier(self)))
    }
}
