import Foundation
import RealmEngine

/// A value as RealmEngine represents it (`RealmEngine.Value`), and the realm from which it was
/// read. Bytes of the value are valid until the realm advances to another version; in a write
/// transaction until the next change.
public struct _Stored {
    let value: Value
    /// The realm; nil unless the value is a link or a collection.
    var realm: RealmInstance! { owningRealm?.takeUnretainedValue() }
    /// Unmanaged, so that creating a `_Stored` counts no reference to the realm. The caller retains
    /// the realm while it uses the value.
    private let owningRealm: Unmanaged<RealmInstance>?
    /// Property or element in which the value is stored, for values that may be lists or
    /// dictionaries in an `AnyRealmValue`; nil for other values.
    var place: Place?

    @inline(__always)
    init(value: Value, realm: RealmInstance?, place: Place? = nil) {
        self.value = value
        owningRealm = realm.map { Unmanaged.passUnretained($0) }
        self.place = place
    }

    enum Place {
        case property(ObjectBase, Int)
        case element(ManagedCollection, CollectionLocation.Step)
    }

    /// The managed collection, if the value is a list or dictionary in an `AnyRealmValue`; nil if
    /// `place` is nil.
    var collection: ManagedCollection? {
        switch place {
        case .property(let object, let property)?: ManagedCollection(object, property, "List")
        case .element(let collection, let step)?: collection.nested(step, value)
        case nil: nil
        }
    }
}

/// Converts values to `RealmEngine.Value` during one call. Owns the memory of converted texts and
/// bytes, and adds unmanaged objects in the values to a realm.
public final class _Storing {
    /// The realm to which objects are added; nil if the values are not stored.
    let realm: RealmInstance!
    let policy: Realm.UpdatePolicy
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawPointer] = []
    /// Buffer for short texts and bytes; allocated at the first use. `used` is the number of its
    /// bytes that are in use.
    @exclusivity(unchecked) private var room: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var used = 0

    private static let roomSize = 256

    init(_ realm: RealmInstance?, _ policy: Realm.UpdatePolicy = .error) {
        self.realm = realm
        self.policy = policy
    }

    deinit {
        for block in blocks { block.deallocate() }
        room?.deallocate()
    }

    /// Frees the memory of all values converted so far, so that the next conversion can use it.
    func reuse() {
        used = 0
        if blocks.isEmpty { return }
        for block in blocks { block.deallocate() }
        blocks = []
    }

    func string(_ text: String) -> Value {
        var text = text
        return .string(text.withUTF8 { view(UnsafeRawBufferPointer($0)) })
    }

    func binary(_ data: Data) -> Value { .binary(data.withUnsafeBytes { view($0) }) }

    private func view(_ bytes: UnsafeRawBufferPointer) -> ByteView {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return .empty }
        let block = block(of: bytes.count)
        block.copyMemory(from: base, byteCount: bytes.count)
        return ByteView(block, count: bytes.count)
    }

    private func block(of size: Int) -> UnsafeMutableRawPointer {
        guard size <= Self.roomSize &- used else {
            let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
            blocks.append(block)
            return block
        }
        let room = room ?? .allocate(byteCount: Self.roomSize, alignment: 1)
        self.room = room
        defer { used &+= size }
        return room + used
    }

    /// Runs `body`, which creates a collection inside an `AnyRealmValue`, in the open write
    /// transaction, and returns the result. Traps if `body` throws.
    func made(_ body: (WriteTransaction) throws(RealmError) -> Value) -> Value {
        do throws(RealmError) { return try body(realm.engine.write) } catch {
            throwRealmException(error.message)
        }
    }

    /// Returns a link to `object`. An unmanaged object is added to the realm first.
    func link(_ object: ObjectBase) -> Value { .link(realm.adopt(object, self)) }
}
