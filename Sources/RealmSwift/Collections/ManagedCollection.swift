import RealmEngine

/// A list, set or dictionary of an object of a realm.
@usableFromInline
final class ManagedCollection {
    let realm: RealmInstance
    @exclusivity(unchecked) private(set) var handle: CollectionHandle
    private let name: String

    /// The class of the object that has it, if that is known.
    private let owner: ManagedClass?
    /// Reads and changes elements; nil before the first.
    @exclusivity(unchecked) private var reader: ElementReader?
    @exclusivity(unchecked) private var keptStoring: _Storing?

    convenience init(_ owner: ObjectBase, _ property: Int, _ name: String) {
        owner.checkFresh()
        let handle = CollectionHandle(owner.handle!, property)
        self.init(owner.keeper!, handle, name, owner.managed)
    }

    init(
        _ realm: RealmInstance, _ handle: CollectionHandle, _ name: String,
        _ owner: ManagedClass? = nil
    ) {
        self.realm = realm
        self.handle = handle
        self.name = name
        self.owner = owner
    }

    /// Reads; what cannot be read is gone.
    func read<T>(_ body: (CollectionHandle) throws(RealmError) -> T) -> T {
        if isStale { refuse() }
        do throws(RealmError) {
            try handle.follow()
            return try body(handle)
        } catch {
            fail(error)
        }
    }

    /// The realm let go of the version.
    var isStale: Bool { owner?.isStale == true }

    @inline(never)
    private func refuse() -> Never {
        throwRealmException("\(name) has been deleted or invalidated and is no longer valid.")
    }

    /// Changes, in a write transaction.
    func change<T>(_ body: (CollectionHandle) throws(RealmError) -> T) -> T {
        realm.checkChanging(collection: name)
        return read(body)
    }

    /// Changes single elements by way of the collection's reader, in a write transaction.
    @inline(__always)
    func edit(_ body: (ElementReader, CollectionHandle) throws(RealmError) -> Void) {
        realm.checkChanging(collection: name)
        if isStale { refuse() }
        do throws(RealmError) { try body(elements, handle) } catch { fail(error) }
    }

    private var elements: ElementReader {
        if let reader { return reader }
        let made = ElementReader(realm.engine)
        reader = made
        return made
    }

    @inline(never)
    private func fail(_ error: RealmError) -> Never {
        if error.code == "InvalidatedObject" { refuse() }
        throwRealmException(error.message)
    }

    /// Conversion of elements to the engine's form. Copies of texts are valid until the next use of this property.
    var storing: _Storing {
        if let keptStoring {
            keptStoring.reuse()
            return keptStoring
        }
        let made = _Storing(realm)
        keptStoring = made
        return made
    }

    /// The value under a key of a dictionary; nil when there is no such key.
    func value(forKey key: Value) -> Value? {
        if realm.isFrozen {
            return read { (handle) throws(RealmError) in try handle.value(forKey: key) }
        }
        let elements = elements
        return read { (handle) throws(RealmError) in try elements.value(forKey: key, of: handle) }
    }

    var isInvalidated: Bool {
        var copy = handle
        return isStale || (try? copy.follow()) == nil || (try? copy.value()) == nil
    }

    var count: Int {
        if !isStale, let count = reader?.count { return count }
        return read { (handle) throws(RealmError) in try handle.count }
    }

    /// The integer at a position of the leaf that was read last; nil for other positions.
    @usableFromInline
    func integer(at position: Int) -> Int? {
        guard !isStale, let reader, let integer = reader.integer(at: position) else { return nil }
        return Int(truncatingIfNeeded: integer)
    }

    /// The element at a position of a list or set whose elements contain no collections; nil where it has
    /// to be read by `element`.
    private func readElement(_ position: Int) -> Value? {
        if realm.isFrozen { return nil }
        let reader = elements
        return read { (handle) throws(RealmError) in
            if let known = try reader.element(at: position) { return known }
            try reader.read(position, of: handle)
            return try reader.element(at: position)
        }
    }

    /// - Parameter key: of an entry, which is told by that.
    func element(_ position: Int, under key: String? = nil) -> _Stored {
        if key == nil, let value = readElement(position) {
            return _Stored(value: value, realm: realm)
        }
        return _Stored(
            value: read { (handle) throws(RealmError) in try handle.element(at: position) },
            realm: realm, place: .element(self, key.map { .key($0) } ?? .index(position)))
    }

    /// The collection inside this one.
    func nested(_ step: CollectionPlace.Step) -> ManagedCollection {
        ManagedCollection(realm, handle.nested(step), name, owner)
    }

    /// For hashing: the same for what is the same.
    var identity: Int {
        var hasher = Hasher()
        hasher.combine(handle.owner.link)
        hasher.combine(handle.property)
        return hasher.finalize()
    }

    func isSame(as other: ManagedCollection) -> Bool {
        realm.isSame(as: other.realm) && handle.owner.link == other.handle.owner.link
            && handle.property == other.handle.property
            && handle.steps.count == other.handle.steps.count
    }

    /// The same collection of another view of the realm; nil when its object is gone there.
    func moved(to other: RealmInstance) -> ManagedCollection? {
        let old = handle.owner.objects
        let column = old.properties[handle.property].key
        guard let objects = ObjectClass(other.engine, old.key),
            let property = objects.properties.firstIndex(where: { $0.key == column }),
            let owner = try? ObjectHandle(objects, handle.owner.key), (try? owner.exists) == true
        else { return nil }
        return ManagedCollection(other, CollectionHandle(owner, property, handle.steps), name)
    }

    /// What descriptions call the elements: by the file where the program knows them by name alone.
    static func elementName(_ type: Any.Type, of collection: ManagedCollection?) -> String {
        let element = (type as? any AnyOptional.Type)?.wrapped ?? type
        guard element == DynamicObject.self, let collection else {
            return ObjectDescription.name(of: type)
        }
        let handle = collection.handle
        let target = handle.owner.objects.properties[handle.property].target
        return collection.realm.engine.schema.table(target)?.className ?? "DynamicObject"
    }

    /// The class of the objects, where there are some.
    func target(_ type: Any.Type) -> ManagedClass? {
        guard let target = (type as? any _RealmSchemaDiscoverable.Type)?._rlmShape.target else {
            return nil
        }
        if target != DynamicObject.self { return realm.requireClass(target) }
        return realm.requireClass(handle.owner.objects.properties[handle.property].target)
    }
}
