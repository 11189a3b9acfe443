import Foundation
import RealmEngine

/// A value in the engine's form, with the realm it was read from. Its bytes are valid while the
/// realm shows the version, and in a write transaction until the next change.
public struct _Stored {
    let value: Value
    /// The realm; nil for a value that is neither a link nor a collection.
    var realm: RealmInstance! { owningRealm?.takeUnretainedValue() }
    /// Not counted: the reader of the value retains the realm meanwhile.
    private let owningRealm: Unmanaged<RealmInstance>?
    /// Location of the value, for a value that may be a collection.
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

    /// The collection that the value is; nil if its location is not known.
    var collection: ManagedCollection? {
        switch place {
        case .property(let object, let property)?: ManagedCollection(object, property, "List")
        case .element(let collection, let step)?: collection.nested(step)
        case nil: nil
        }
    }
}

/// Context of a conversion to the engine's form: memory for texts and bytes, and the realm that
/// linked objects are added to. Used for one call.
public final class _Storing {
    /// The realm; nil if values are converted without being stored.
    let realm: RealmInstance!
    let policy: Realm.UpdatePolicy
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawPointer] = []
    /// Buffer for copies of short values, allocated at the first use.
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

    /// Frees the copies made so far.
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

    /// Creates a collection for a mixed value in the open write transaction.
    func made(_ body: (WriteTransaction) throws(RealmError) -> Value) -> Value {
        do throws(RealmError) { return try body(realm.engine.write) } catch {
            throwRealmException(error.message)
        }
    }

    /// Returns a link to `object`, which is added to the realm if it is unmanaged.
    func link(_ object: ObjectBase) -> Value { .link(realm.adopt(object, self)) }
}
