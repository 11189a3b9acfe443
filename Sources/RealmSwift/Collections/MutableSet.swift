import Foundation
import RealmEngine

/// A collection of distinct values or objects, as a property of an object. The order of the
/// elements is not stable.
///
/// The set of a managed object reads and writes the database. It can be changed inside write
/// transactions only, and used only on the thread, queue or actor of its realm, unless it is
/// frozen. The set of an unmanaged object has its elements in memory and can be neither queried nor
/// observed.
///
/// ```swift
/// final class Dog: Object {
///     @Persisted var tricks: MutableSet<String>
/// }
///
/// try realm.write { dog.tricks.insert("roll over") }
/// print(dog.tricks.contains("sit"))
/// ```
public final class MutableSet<Element: RealmCollectionValue>: NSObject, RealmCollection,
    LocalCollection
{
    var isLocal: Bool { managed == nil }
    private var unmanaged: [Element] = []
    /// Elements of an unmanaged set, kept as stored because `Element`, a
    /// `FailableCustomPersistable`, rejects at least one of them. Nil for all other sets; their
    /// elements are in `unmanaged`.
    private var refused: RefusedElements<Element>?
    var managed: ManagedCollection?

    /// Creates an empty unmanaged set.
    public override init() { super.init() }

    init(_ managed: ManagedCollection) {
        self.managed = managed
        super.init()
    }

    /// The realm of the set; nil for an unmanaged set.
    public var realm: Realm? { managed.map { Realm($0.realm) } }
    /// Whether the owner of the set was deleted or its realm was invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }
    /// Whether the set belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { managed?.realm.isFrozen ?? false }

    /// The number of elements.
    public var endIndex: Int { count }
    /// The number of elements.
    public var count: Int { managed?.count ?? refused?.count ?? unmanaged.count }
    /// The element at position 0; nil for an empty set.
    public var first: Element? { isEmpty ? nil : self[0] }
    /// The element at the last position; nil for an empty set.
    public var last: Element? { isEmpty ? nil : self[count - 1] }

    /// The element at a position. A change of the set may move elements to other positions. Traps
    /// if the position is out of bounds.
    public subscript(position: Int) -> Element {
        guard let managed else {
            if let refused, position >= 0, position < refused.count { return refused[position] }
            if !unmanaged.indices.contains(position) {
                throwRealmException(
                    "Index \(position) is out of bounds (must be less than \(count)).")
            }
            return unmanaged[position]
        }
        return Element._rlmFromStored(managed.element(position))
    }

    /// Returns an iterator over the current elements. The set may be changed during the iteration.
    public func makeIterator() -> RLMIterator<Element> {
        managed.map { RLMIterator($0) } ?? RLMIterator(refused?.all ?? unmanaged)
    }

    /// Always traps, because positions of a set are not stable. Use `contains(_:)`.
    public func index(of object: Element) -> Int? {
        fatalError("index(of:) is not available on MutableSet")
    }

    /// Whether `object` is an element of the set. For a managed set, false for an object that is
    /// unmanaged or belongs to another realm.
    public func contains(_ object: Element) -> Bool {
        guard let managed else { return (refused?.all ?? unmanaged).contains(object) }
        // Converting an unmanaged object to stored form would add it to the realm.
        if let object = object._rlmObject ?? object._rlmAny?.content as? ObjectBase,
            object.keepAlive !== managed.realm
        {
            return false
        }
        let storing = _Storing(managed.realm)
        return managed.read { (handle) throws(RealmError) in
            try handle.index(of: object._rlmStored(storing)) != nil
        }
    }

    /// Whether every element of this set is in `possibleSuperset`.
    public func isSubset(of possibleSuperset: MutableSet) -> Bool {
        guard let other = stored(possibleSuperset) else {
            return allSatisfy { possibleSuperset.contains($0) }
        }
        return managed!.read { (handle) throws(RealmError) in try handle.isSubset(of: other) }
    }

    /// Whether the two sets have an element in common.
    public func intersects(_ otherSet: MutableSet) -> Bool {
        guard let other = stored(otherSet) else { return contains { otherSet.contains($0) } }
        return managed!.read { (handle) throws(RealmError) in try handle.intersects(other) }
    }

    /// Returns the handle of the other set; nil if the two sets do not belong to the same realm
    /// instance. Only within one instance can stored values be compared.
    private func stored(_ other: MutableSet) -> CollectionHandle? {
        guard let managed, let theirs = other.managed, managed.realm === theirs.realm else {
            return nil
        }
        return theirs.read { (handle) in handle }
    }

    // MARK: Changes

    /// Called before an unmanaged set is changed. If the set keeps its elements in stored form
    /// (`refused`), converts them to `Element`. Traps if `Element` rejects one of them.
    private func convertRefused() {
        guard let all = refused?.all else { return }
        (unmanaged, refused) = (all, nil)
    }

    /// Inserts an element unless it is already in the set. An unmanaged object is added to the
    /// realm of a managed set.
    ///
    /// Traps for a managed set outside of a write transaction, and for a deleted object or one of
    /// another realm.
    public func insert(_ object: Element) {
        guard let managed else {
            convertRefused()
            if !unmanaged.contains(object) { unmanaged.append(object) }
            return
        }
        let storing = _Storing(managed.realm)
        managed.change { (handle) throws(RealmError) in
            _ = try handle.insert(object._rlmStored(storing))
        }
    }

    /// Inserts the elements of a sequence one by one. Traps under the same conditions as
    /// `insert(_:)`.
    public func insert<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        for object in objects { insert(object) }
    }

    /// Removes an element, if it is in the set. A removed object remains in the realm. Traps for a
    /// managed set outside of a write transaction.
    public func remove(_ object: Element) {
        guard let managed else {
            convertRefused()
            unmanaged.removeAll { $0 == object }
            return
        }
        let storing = _Storing(managed.realm)
        managed.change { (handle) throws(RealmError) in
            _ = try handle.remove(object._rlmStored(storing))
        }
    }

    /// Removes all elements. Objects remain in the realm. Traps for a managed set outside of a
    /// write transaction.
    public func removeAll() {
        guard let managed else {
            refused = nil
            return unmanaged.removeAll()
        }
        managed.change { (handle) throws(RealmError) in try handle.removeAll() }
    }

    /// Removes the elements that are not in `other`. Traps for a managed set outside of a write
    /// transaction.
    public func formIntersection(_ other: MutableSet) {
        if let stored = stored(other) {
            return managed!.change { (handle) throws(RealmError) in
                try handle.formIntersection(stored)
            }
        }
        for element in Array(self) where !other.contains(element) { remove(element) }
    }

    /// Inserts the elements of `other`. Traps for a managed set outside of a write transaction.
    public func formUnion(_ other: MutableSet) {
        guard let stored = stored(other) else { return insert(objectsIn: Array(other)) }
        managed!.change { (handle) throws(RealmError) in try handle.formUnion(stored) }
    }

    /// Removes the elements that are in `other`. Traps for a managed set outside of a write
    /// transaction.
    public func subtract(_ other: MutableSet) {
        if let stored = stored(other) {
            return managed!.change { (handle) throws(RealmError) in try handle.subtract(stored) }
        }
        for element in Array(other) { remove(element) }
    }

    // MARK: Derived results

    /// Returns the elements sorted by several properties; the first descriptor takes precedence.
    /// Traps for an unmanaged set, and for a property that cannot be sorted by.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor {
        Results(managed, Element.self, "RLMSet").sorted(by: sortDescriptors)
    }

    // MARK: Freezing and thawing

    /// Returns a frozen copy, which does not change and may be read on any thread. Traps for an
    /// unmanaged set, and for the set of an object that was deleted or that the open write
    /// transaction created.
    public func freeze() -> MutableSet {
        guard let managed else {
            throwRealmException(
                "This method may only be called on RLMSet instances retrieved from an RLMRealm")
        }
        return MutableSet(managed.frozen())
    }

    /// Returns the live version of this frozen set, for the caller's thread, queue or actor; nil if
    /// the owner was deleted. A live set returns itself. Traps for an unmanaged set.
    public func thaw() -> MutableSet? {
        guard let managed else { throwRealmException("Unmanaged sets cannot be thawed") }
        return isFrozen ? managed.moved(to: managed.realm.thaw()).map { MutableSet($0) } : self
    }

    /// Whether both are the same set of the same realm, or unmanaged sets with equal elements.
    public static func == (a: MutableSet, b: MutableSet) -> Bool { a.isSame(as: b) }

    /// Whether `object` is equal by `==`.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? MutableSet).map { isSame(as: $0) } ?? false
    }

    /// Whether both are the same set of the same realm, or unmanaged sets with equal elements.
    private func isSame(as other: MutableSet) -> Bool {
        if self === other { return true }
        guard let mine = managed, let theirs = other.managed else {
            return managed == nil && other.managed == nil && Set(self) == Set(other)
        }
        return mine.isSame(as: theirs)
    }

    /// Hash value, equal for equal sets.
    public override var hash: Int { managed?.identity ?? Set(self).hashValue }
    /// The set as text, with up to 100 elements.
    public override var description: String { text(depth: ObjectDescription.deepest) }

    // MARK: Persisted property

    func assign(_ other: MutableSet) {
        if other === self || managed != nil && isSame(as: other) { return }
        if let refused = other.refused {
            if let managed { return refused.replace(managed, isSet: true) }
            (self.refused, unmanaged) = (refused, [])
            return
        }
        let elements = Array(other)
        removeAll()
        insert(objectsIn: elements)
    }

    fileprivate func becomeManaged(
        _ target: ManagedCollection, _ elements: [Element], _ storing: _Storing
    ) {
        (managed, unmanaged) = (target, [])
        if storing.policy == .modified { return target.update(members: elements, storing) }
        if target.count > 0 { removeAll() }
        for element in elements {
            if let object = element as? ObjectBase { _ = storing.realm.adopt(object, storing) }
            insert(element)
        }
    }
}

extension MutableSet: _RealmSchemaDiscoverable where Element: _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { Element._rlmType }
    public static var _rlmOptional: Bool { Element._rlmOptional }
    public static var _rlmShape: _PropertyShape {
        var shape = Element._rlmShape
        shape.collection = .set
        return shape
    }
}

extension MutableSet: _ObjcBridgeable {
    public static func _rlmFromStored(_ stored: _Stored) -> Self { mismatch(stored.value, self) }
    public func _rlmStored(_ storing: _Storing) -> Value { .null }
}

extension MutableSet: _HasPersistedType, _Persistable, _DefaultConstructible
where Element: _Persistable {
    public typealias PersistedType = MutableSet
    public static func _rlmConverted(_ value: Any?) -> Self? {
        if let set = value as? Self { return set }
        let given = Converted<Element>.given(value)
        let set = MutableSet()
        if let elements = given.map({ Converted<Element>.all($0) }) ?? [] {
            set.insert(objectsIn: elements)
        } else if let refused = given.flatMap({ RefusedElements<Element>.list($0) }) {
            set.refused = refused
        } else {
            return nil
        }
        return unsafeDowncast(set, to: Self.self)
    }
    public static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self {
        let set = MutableSet()
        set.unmanaged = recorder.element(Element.self).map { [$0] } ?? []
        return unsafeDowncast(set, to: Self.self)
    }
    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self {
        unsafeDowncast(
            MutableSet(ManagedCollection(object, Int(property), "MutableSet")), to: Self.self)
    }
    public static var _rlmIsKept: Bool { true }
    public static func _rlmAssign(_ value: MutableSet, to kept: MutableSet) { kept.assign(value) }
    public static func _rlmStays(_ kept: MutableSet, _ object: ObjectBase) -> Bool {
        object.checkNotInvalidated()
        return kept.managed != nil
    }
    public static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: MutableSet) {
        MutableSet(ManagedCollection(object, Int(property), "MutableSet")).assign(value)
    }
    public static func _rlmUpdate(
        _ object: ObjectBase, _ property: UInt16, _ value: MutableSet, _ storing: _Storing
    ) {
        let target = ManagedCollection(object, Int(property), "MutableSet")
        if let managed = value.managed, managed.isSame(as: target) { return }
        if let refused = value.refused { return refused.replace(target, isSet: true) }
        target.update(members: Array(value), storing)
    }
    public static func _rlmAdopt(
        _ given: MutableSet, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> Self? {
        if let refused = given.refused {
            let target = ManagedCollection(object, Int(property), "MutableSet")
            (given.managed, given.refused) = (target, nil)
            refused.replace(target, isSet: true)
            return unsafeDowncast(given, to: Self.self)
        }
        let elements = Array(given)
        // A set that belongs to another managed object is copied: this object gets a new
        // `MutableSet`.
        let value = given.managed == nil ? given : MutableSet()
        let target = ManagedCollection(object, Int(property), "MutableSet")
        value.becomeManaged(target, elements, storing)
        return unsafeDowncast(value, to: Self.self)
    }
}

extension MutableSet: HolderColumn, HolderValue, HolderCollection where Element: _Persistable {
    static var kindName: String { "MutableSet" }
}

extension MutableSet: DescribedInDepth {
    func text(depth: Int) -> String {
        let name = "MutableSet<\(ManagedCollection.elementName(Element.self, of: managed))>"
        return ObjectDescription.list(self, as: name, at: self, depth: depth)
    }
}
