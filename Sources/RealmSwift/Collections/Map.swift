import Foundation
import RealmEngine

/// A key of a map and its value.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: _RealmMapValue, Hashable {
    /// The key.
    public var key: Key
    /// The value.
    public var value: Value
}

/// Type of the entries that an iterator over a map returns.
public protocol _RealmMapValue {
    /// Type of the keys.
    associatedtype Key: _MapKey
    /// Type of the values.
    associatedtype Value: RealmCollectionValue
}

/// Iterates over the entries that a map had when the iteration began.
@frozen public struct RLMMapIterator<Element: _RealmMapValue>: IteratorProtocol {
    private var rest: ArraySlice<Element>
    init(_ elements: [Element]) { rest = elements[...] }
    /// Returns the next entry; nil at the end.
    public mutating func next() -> Element? { rest.popFirst() }
}

/// Iterates over the entries that a map had when the iteration began, as pairs.
@frozen
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>:
    IteratorProtocol
{
    private var rest: ArraySlice<(key: Key, value: Value)>
    init(_ elements: [(key: Key, value: Value)]) { rest = elements[...] }
    /// Returns the next pair; nil at the end.
    public mutating func next() -> (key: Key, value: Value)? { rest.popFirst() }
}

/// Position of an entry in a map.
public struct MapIndex {
    /// Number of entries before the entry.
    public var offset: UInt
    /// Creates the position that has `offset` entries before it.
    public init(offset: UInt) { self.offset = offset }
}

/// A dictionary from text to values or objects, as a property of an object.
///
/// The map of a managed object reads and writes the database. It can be changed inside write
/// transactions only, and used only on the thread, queue or actor of its realm, unless it is
/// frozen. The map of an unmanaged object has its entries in memory and can be neither queried nor
/// observed. Values that are objects are optional: after an object is deleted, its key has the
/// value nil.
///
/// ```swift
/// final class Dog: Object {
///     @Persisted var weights: Map<String, Double>
/// }
///
/// try realm.write { dog.weights["2026"] = 31.5 }
/// for entry in dog.weights { print(entry.key, entry.value) }
/// ```
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: NSObject, RealmKeyedCollection {
    private var unmanaged: [Key: Value] = [:]
    /// Values of an unmanaged map, kept as stored because `Value`, a `FailableCustomPersistable`,
    /// rejects at least one of them. Nil for all other maps; their values are in `unmanaged`.
    private var refused: RefusedElements<Value>?
    @exclusivity(unchecked) var managed: ManagedCollection?
    /// Element that the map returns for every key while a key path such as `\.map["a"].name` is
    /// recorded: an object that records the properties read from it. Nil at all other times.
    private var recorded: Value?

    /// Creates an empty unmanaged map.
    public override init() { super.init() }

    init(_ managed: ManagedCollection) {
        self.managed = managed
        super.init()
    }

    /// The realm of the map; nil for an unmanaged map.
    public var realm: Realm? { managed.map { Realm($0.realm) } }
    /// Whether the owner of the map was deleted or its realm was invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }
    /// Whether the map belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { managed?.realm.isFrozen ?? false }

    /// The number of entries.
    public var count: Int { managed?.count ?? refused?.count ?? unmanaged.count }

    /// The keys, in no particular order.
    public var keys: [Key] {
        guard let managed else {
            return refused.map { $0.keys.compactMap { $0 as? Key } } ?? Array(unmanaged.keys)
        }
        return managed.read { (handle) throws(RealmError) in
            var keys: [Key] = []
            for i in 0..<(try handle.count) {
                keys.append(
                    Key._rlmFromStored(_Stored(value: try handle.key(at: i), realm: managed.realm)))
            }
            return keys
        }
    }

    /// The values, in the order of `keys`.
    public var values: [Value] {
        managed == nil && refused == nil ? Array(unmanaged.values) : entries.map(\.value)
    }

    fileprivate var entries: [SingleMapEntry<Key, Value>] {
        guard let managed else {
            return local.map { SingleMapEntry(key: $0.key, value: $0.value) }
        }
        return keys.enumerated().map { position, key in
            let stored = managed.element(position, under: Self.text(of: key))
            return SingleMapEntry(key: key, value: Value._rlmFromStored(stored))
        }
    }

    /// The entries of an unmanaged map. Traps if `Value` rejects a stored value.
    private var local: [Key: Value] {
        guard let refused else { return unmanaged }
        return Dictionary(zip(keys, refused.all), uniquingKeysWith: { first, _ in first })
    }

    /// Called before an unmanaged map is changed. If the map keeps its values in stored form
    /// (`refused`), converts them to `Value`. Traps if `Value` rejects one of them.
    private func convertRefused() {
        if refused != nil { (unmanaged, refused) = (local, nil) }
    }

    private static func text(of key: Key) -> String { (key as? String) ?? "\(key)" }

    /// The value for a key; nil if there is none. Setting nil removes the entry. Setting traps
    /// under the same conditions as `updateValue(_:forKey:)`.
    public subscript(key: Key) -> Value? {
        get {
            guard let managed else {
                if let refused { return refused.value(forKey: Self.text(of: key)) }
                return unmanaged[key] ?? recorded
            }
            guard let found = managed.value(forKey: key._rlmStored(managed.storing)) else {
                return nil
            }
            return Value._rlmFromStored(
                _Stored(
                    value: found, realm: managed.realm,
                    place: .element(managed, .key(Self.text(of: key)))))
        }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    /// The entry at a position. Traps if the position is out of bounds.
    public subscript(position: MapIndex) -> SingleMapEntry<Key, Value> {
        let all = entries
        guard position.offset < all.count else {
            throwRealmException(
                "Index \(position.offset) is out of bounds (must be less than \(all.count)).")
        }
        return all[Int(position.offset)]
    }

    // MARK: Changes

    private func check(_ key: Key) {
        guard let text = key as? String else { return }
        if text.utf8.first == UInt8(ascii: "$") || text.utf8.contains(UInt8(ascii: ".")) {
            throwRealmException("Map keys cannot contain '.' or start with '$'")
        }
    }

    /// Sets the value for a key. An unmanaged object is added to the realm of a managed map.
    ///
    /// Traps for a key that contains a dot or begins with `$`, for a managed map outside of a write
    /// transaction, for a deleted object or one of another realm, and for an embedded object that
    /// is already managed.
    public func updateValue(_ value: Value, forKey key: Key) {
        check(key)
        guard let managed else {
            convertRefused()
            unmanaged[key] = value
            return
        }
        managed.edit { (elements, handle) throws(RealmError) in
            let storing = managed.storing
            let name = key._rlmStored(storing)
            guard let content = value._rlmEmbedded else {
                return try elements.set(value._rlmStored(storing), forKey: name, of: handle)
            }
            if content.isManaged {
                throwRealmException(
                    "Cannot add an existing managed embedded object to a Dictionary.")
            }
            managed.realm.fill(content, try handle.setEmbedded(forKey: name), storing)
        }
    }

    /// Removes the entry for a key, if there is one. Traps for a managed map outside of a write
    /// transaction.
    public func removeObject(for key: Key) {
        guard let managed else {
            convertRefused()
            unmanaged[key] = nil
            return
        }
        let storing = _Storing(managed.realm)
        managed.change { (handle) throws(RealmError) in
            _ = try handle.remove(forKey: key._rlmStored(storing))
        }
    }

    /// Removes all entries. Traps for a managed map outside of a write transaction.
    public func removeAll() {
        guard let managed else {
            refused = nil
            return unmanaged.removeAll()
        }
        managed.change { (handle) throws(RealmError) in try handle.removeAll() }
    }

    /// Sets the values of a sequence of pairs. For a key that exists, `combine` returns the value
    /// to set from the old and the new value. Traps under the same conditions as
    /// `updateValue(_:forKey:)`.
    ///
    /// - Throws: the error of `combine`. The values set before it remain set.
    public func merge<S>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S: Sequence, S.Element == (key: Key, value: Value) {
        for (key, value) in sequence {
            let old = self[key]
            updateValue(try old.map { try combine($0, value) } ?? value, forKey: key)
        }
    }

    /// Sets the values of another map. For a key that exists, `combine` returns the value to set
    /// from the old and the new value. Traps under the same conditions as `updateValue(_:forKey:)`.
    ///
    /// - Throws: the error of `combine`. The values set before it remain set.
    public func merge(
        _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.entries.map { (key: $0.key, value: $0.value) }, uniquingKeysWith: combine)
    }

    /// Whether `predicate` returns true for an entry.
    public func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool {
        entries.contains { predicate($0.key, $0.value) }
    }

    /// Returns an iterator over the current entries. The map may be changed during the iteration.
    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
        RLMMapIterator(entries)
    }

    /// The entries that a map had when the sequence was created, as pairs of key and value.
    public struct KeyValueSequence: Sequence {
        fileprivate let entries: [(key: Key, value: Value)]
        /// Returns an iterator over the pairs.
        public func makeIterator() -> RLMKeyValueIterator<Key, Value> {
            RLMKeyValueIterator(entries)
        }
    }

    /// Returns the current entries as a sequence of pairs of key and value.
    public func asKeyValueSequence() -> KeyValueSequence {
        KeyValueSequence(entries: entries.map { (key: $0.key, value: $0.value) })
    }

    // MARK: Freezing and thawing

    /// Returns a frozen copy, which does not change and may be read on any thread. Traps for an
    /// unmanaged map, and for the map of an object that was deleted or that the open write
    /// transaction created.
    public func freeze() -> Map {
        guard let managed else { throwRealmException("Unmanaged dictionaries cannot be frozen") }
        return Map(managed.frozen())
    }

    /// Returns the live version of this frozen map, for the caller's thread, queue or actor; nil if
    /// the owner was deleted. A live map returns itself. Traps for an unmanaged map.
    public func thaw() -> Map? {
        guard let managed else { throwRealmException("Unmanaged dictionaries cannot be thawed") }
        return isFrozen ? managed.moved(to: managed.realm.thaw()).map { Map($0) } : self
    }

    /// Whether `object` is the same map, or an equal unmanaged one.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Map else { return false }
        if self === other { return true }
        guard let one = managed, let two = other.managed else {
            return managed == nil && other.managed == nil && local == other.local
        }
        return one.isSame(as: two)
    }
    /// Hash value, equal for equal maps.
    public override var hash: Int {
        managed?.identity ?? local.hashValue
    }
    /// The map as text, with up to 100 entries.
    public override var description: String { text(depth: ObjectDescription.deepest) }

    // MARK: Persisted property

    func assign(_ other: Map) {
        if other === self || managed != nil && other.isEqual(self) { return }
        if let refused = other.refused {
            if let managed { return refused.replace(managed) }
            (self.refused, unmanaged) = (refused, [:])
            return
        }
        let all = other.entries
        removeAll()
        for entry in all { updateValue(entry.value, forKey: entry.key) }
    }

    fileprivate func becomeManaged(
        _ target: ManagedCollection, _ all: [SingleMapEntry<Key, Value>], _ storing: _Storing
    ) {
        (managed, unmanaged) = (target, [:])
        if storing.policy == .modified { return update(target, all, storing) }
        if target.count > 0 { removeAll() }
        for entry in all {
            if let object = unwrapped(entry.value) as? Object {
                _ = storing.realm.adopt(object, storing)
            }
            updateValue(entry.value, forKey: entry.key)
        }
    }

    fileprivate func update(
        _ target: ManagedCollection, _ all: [SingleMapEntry<Key, Value>], _ storing: _Storing
    ) {
        for entry in all { check(entry.key) }
        target.update(
            entries: all.map { (key: Self.text(of: $0.key), value: $0.value) }, storing)
    }
}

extension Map: _RealmSchemaDiscoverable where Value: _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { Value._rlmType }
    public static var _rlmOptional: Bool { Value._rlmOptional }
    public static var _rlmShape: _PropertyShape {
        var shape = Value._rlmShape
        shape.collection = .dictionary
        return shape
    }
}

extension Map: _ObjcBridgeable {
    public static func _rlmFromStored(_ stored: _Stored) -> Self { mismatch(stored.value, self) }
    public func _rlmStored(_ storing: _Storing) -> RealmEngine.Value { .null }
}

extension Map: _HasPersistedType, _Persistable, _DefaultConstructible where Value: _Persistable {
    public typealias PersistedType = Map
    public static func _rlmConverted(_ value: Any?) -> Self? {
        if let map = value as? Self { return map }
        let map = Map()
        let given = Converted<Value>.given(value) ?? [String: Any]()
        if let entries = Converted<Value>.all(of: given) {
            for (key, element) in entries { map.unmanaged[key as! Key] = element }
        } else if let refused = RefusedElements<Value>.map(given) {
            map.refused = refused
        } else {
            return nil
        }
        return unsafeDowncast(map, to: Self.self)
    }
    public static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self {
        let map = Map()
        map.recorded = recorder.element(Value.self)
        return unsafeDowncast(map, to: Self.self)
    }
    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self {
        unsafeDowncast(Map(ManagedCollection(object, Int(property), "Map")), to: Self.self)
    }
    public static var _rlmIsKept: Bool { true }
    public static func _rlmAssign(_ value: Map, to kept: Map) { kept.assign(value) }
    public static func _rlmStays(_ kept: Map, _ object: ObjectBase) -> Bool {
        object.checkNotInvalidated()
        return kept.managed != nil
    }
    public static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: Map) {
        Map(ManagedCollection(object, Int(property), "Map")).assign(value)
    }
    public static func _rlmUpdate(
        _ object: ObjectBase, _ property: UInt16, _ value: Map, _ storing: _Storing
    ) {
        let target = ManagedCollection(object, Int(property), "Map")
        if let managed = value.managed, managed.isSame(as: target) { return }
        if let refused = value.refused { return refused.replace(target) }
        value.update(target, value.entries, storing)
    }
    public static func _rlmAdopt(
        _ given: Map, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> Self? {
        if let refused = given.refused {
            let target = ManagedCollection(object, Int(property), "Map")
            (given.managed, given.refused) = (target, nil)
            refused.replace(target)
            return unsafeDowncast(given, to: Self.self)
        }
        let entries = given.entries
        // A map that belongs to another managed object is copied: this object gets a new `Map`.
        let value = given.managed == nil ? given : Map()
        let target = ManagedCollection(object, Int(property), "Map")
        value.becomeManaged(target, entries, storing)
        return unsafeDowncast(value, to: Self.self)
    }
}

extension Map: HolderColumn, HolderValue, HolderCollection where Value: _Persistable {
    static var kindName: String { "Map" }
}

extension Map: DescribedInDepth {
    func text(depth: Int) -> String {
        let key = ObjectDescription.name(of: Key.self)
        let value = ManagedCollection.elementName(Value.self, of: managed)
        let texts = entries.map { (key: "\($0.key)", value: $0.value as Any) }
        return ObjectDescription.map(texts, as: "Map<\(key), \(value)>", at: self, depth: depth)
    }
}
