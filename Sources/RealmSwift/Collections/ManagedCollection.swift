import RealmEngine

/// A list, set or dictionary in a managed object.
@usableFromInline
final class ManagedCollection {
    let realm: RealmInstance
    @exclusivity(unchecked) private(set) var handle: CollectionHandle
    private let name: String

    /// Value of `RealmInstance.releases` when this object was created; a greater value means that
    /// the realm was invalidated since.
    private let releases: Int
    /// Cache through which elements are read and changed; nil before the first use.
    @exclusivity(unchecked) private var reader: ElementReader?
    @exclusivity(unchecked) private var cachedStoring: _Storing?

    convenience init(_ owner: ObjectBase, _ property: Int, _ name: String) {
        owner.checkNotInvalidated()
        let handle = CollectionHandle(owner.handle!, property)
        self.init(owner.keepAlive!, handle, name)
    }

    init(
        _ realm: RealmInstance, _ handle: CollectionHandle, _ name: String, releases: Int? = nil
    ) {
        self.realm = realm
        self.handle = handle
        self.name = name
        self.releases = releases ?? realm.releases
    }

    /// Reads from the collection. Traps if its owner is deleted.
    func read<T>(_ body: (CollectionHandle) throws(RealmError) -> T) -> T {
        if isStale { refuse() }
        do throws(RealmError) {
            try handle.follow()
            return try body(handle)
        } catch {
            fail(error)
        }
    }

    /// Whether `Realm.invalidate()` was called since this object was created.
    var isStale: Bool { realm.releases != releases }

    @inline(never)
    private func refuse() -> Never {
        throwRealmException("\(name) has been deleted or invalidated and is no longer valid.")
    }

    /// Runs a body that changes the collection. Traps outside of a write transaction.
    func change<T>(_ body: (CollectionHandle) throws(RealmError) -> T) -> T {
        realm.checkChanging(collection: name)
        return read(body)
    }

    /// Runs a body that changes single elements through the `ElementReader`, which keeps its cached
    /// leaf up to date. Traps outside of a write transaction.
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

    /// Converter of elements to `RealmEngine.Value`. Each read of this property frees the texts
    /// that were converted before.
    var storing: _Storing {
        if let cachedStoring {
            cachedStoring.reuse()
            return cachedStoring
        }
        let made = _Storing(realm)
        cachedStoring = made
        return made
    }

    /// The value for a key of a dictionary; nil if there is no such key.
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

    /// Returns the integer at a position if it is in the cached leaf, otherwise nil.
    @usableFromInline
    func integer(at position: Int) -> Int? {
        guard !isStale, let reader, let integer = reader.integer(at: position) else { return nil }
        return Int(truncatingIfNeeded: integer)
    }

    /// Returns the element of a list or set at a position. Returns nil for elements that may
    /// contain collections and in a frozen realm; the caller then uses `element`.
    private func readElement(_ position: Int) -> Value? {
        if realm.isFrozen { return nil }
        let reader = elements
        return read { (handle) throws(RealmError) in
            if let known = try reader.element(at: position) { return known }
            try reader.read(position, of: handle)
            return try reader.element(at: position)
        }
    }

    /// Returns the element at a position.
    ///
    /// - Parameter key: key of the element in a dictionary; nil in a list or set.
    func element(_ position: Int, under key: String? = nil) -> _Stored {
        if key == nil, let value = readElement(position) {
            return _Stored(value: value, realm: realm)
        }
        return _Stored(
            value: read { (handle) throws(RealmError) in try handle.element(at: position) },
            realm: realm, place: .element(self, key.map { .key($0) } ?? .index(position)))
    }

    /// Returns the collection `value` that is the element at `step` of this collection.
    func nested(_ step: CollectionLocation.Step, _ value: Value) -> ManagedCollection {
        ManagedCollection(realm, handle.nested(step, value), name, releases: releases)
    }

    /// Hash value, equal for accessors of the same stored collection.
    var identity: Int {
        var hasher = Hasher()
        hasher.combine(handle.owner.link)
        hasher.combine(handle.property)
        hasher.combine(handle.steps)
        return hasher.finalize()
    }

    func isSame(as other: ManagedCollection) -> Bool {
        realm.isSame(as: other.realm) && handle.owner.link == other.handle.owner.link
            && handle.property == other.handle.property
            && handle.steps == other.handle.steps
    }

    /// Returns the same collection as another realm instance of the file reads it; nil if the owner
    /// does not exist in the version of that instance.
    func moved(to other: RealmInstance) -> ManagedCollection? {
        let old = handle.owner.objects
        let column = old.properties[handle.property].key
        guard let objects = ObjectClass(other.engine, old.key),
            let property = objects.properties.firstIndex(where: { $0.key == column }),
            let owner = try? ObjectHandle(objects, handle.owner.key), (try? owner.exists) == true
        else { return nil }
        return ManagedCollection(other, CollectionHandle(owner, property, handle.steps), name)
    }

    /// Returns the collection in the frozen version of its realm. Traps if its owner was deleted, or
    /// created in the open write transaction.
    func frozen() -> ManagedCollection {
        if realm.isFrozen { return self }
        if let frozen = moved(to: realm.freeze()) { return frozen }
        guard (try? handle.owner.exists) == true else {
            throwRealmException("Object has been deleted or invalidated.")
        }
        RealmInstance.trapFreezingNewObject()
    }

    /// Returns the name of the element type for descriptions. The elements of a list of dynamic
    /// objects have the name of their class in the file.
    static func elementName(_ type: Any.Type, of collection: ManagedCollection?) -> String {
        let element = (type as? any AnyOptional.Type)?.wrapped ?? type
        guard element == DynamicObject.self, let collection else {
            return ObjectDescription.name(of: type)
        }
        let handle = collection.handle
        let target = handle.owner.objects.properties[handle.property].target
        return collection.realm.engine.schema.table(target)?.className ?? "DynamicObject"
    }

    /// Class of the elements; nil if they are not objects.
    func target(_ type: Any.Type) -> ManagedClass? {
        guard let target = (type as? any _RealmSchemaDiscoverable.Type)?._rlmShape.target else {
            return nil
        }
        if target != DynamicObject.self { return realm.requireClass(target) }
        return realm.requireClass(handle.owner.objects.properties[handle.property].target)
    }
}
