import Foundation
import RealmEngine

/// A value as the engine has it, with the realm it was read from. Its bytes last as long as the version
/// shown, or until the open write transaction changes something.
public struct _Stored {
    let value: Value
    /// Nil for a value of its own, which is neither a link nor a collection.
    var realm: RealmInstance! { home?.takeUnretainedValue() }
    /// Who reads the value keeps the realm meanwhile: nothing is counted.
    private let home: Unmanaged<RealmInstance>?
    /// Where a collection is that the value may be.
    var place: Place?

    @inline(__always)
    init(value: Value, realm: RealmInstance?, place: Place? = nil) {
        self.value = value
        home = realm.map { Unmanaged.passUnretained($0) }
        self.place = place
    }

    enum Place {
        case property(ObjectBase, Int)
        case element(ManagedCollection, CollectionPlace.Step)
    }

    /// The collection that the value is.
    var collection: ManagedCollection? {
        switch place {
        case .property(let object, let property)?: ManagedCollection(object, property, "List")
        case .element(let collection, let step)?: collection.nested(step)
        case nil: nil
        }
    }
}

/// What values need to be stored in a realm: memory for their bytes, and a way to add the objects they
/// link to. Lives for one call.
public final class _Storing {
    /// Nil where nothing is stored, and values are only wanted in the engine's form.
    let realm: RealmInstance!
    let policy: Realm.UpdatePolicy
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawPointer] = []
    /// Copies of short values; nil before the first.
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

    /// A collection in a mixed value, made in the open write transaction.
    func made(_ body: (WriteTransaction) throws(RealmError) -> Value) -> Value {
        do throws(RealmError) { return try body(realm.engine.write) } catch {
            throwRealmException(error.message)
        }
    }

    /// A link to `object`, which becomes one of the realm if it is none yet.
    func link(_ object: ObjectBase) -> Value { .link(realm.adopt(object, self)) }
}
