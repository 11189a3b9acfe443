import Foundation
import RealmEngine

/// A set: of an object of a realm, or until that is stored one in memory. In no order that lasts.
public final class MutableSet<Element: RealmCollectionValue>: NSObject, RealmCollection,
    LocalCollection
{
    var isLocal: Bool { managed == nil }
    private var unmanaged: [Element] = []
    var managed: ManagedCollection?

    public override init() { super.init() }

    init(_ managed: ManagedCollection) {
        self.managed = managed
        super.init()
    }

    public var realm: Realm? { managed.map { Realm($0.realm) } }
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }
    public var isFrozen: Bool { managed?.realm.isFrozen ?? false }

    public var endIndex: Int { count }
    public var count: Int { managed?.count ?? unmanaged.count }
    public var first: Element? { isEmpty ? nil : self[0] }
    public var last: Element? { isEmpty ? nil : self[count - 1] }

    public subscript(position: Int) -> Element {
        guard let managed else {
            if !unmanaged.indices.contains(position) {
                throwRealmException(
                    "Index \(position) is out of bounds (must be less than \(count)).")
            }
            return unmanaged[position]
        }
        return Element._rlmFromStored(managed.element(position))
    }

    public func makeIterator() -> RLMIterator<Element> {
        managed.map { RLMIterator($0) } ?? RLMIterator(unmanaged)
    }

    /// A set has no places.
    public func index(of object: Element) -> Int? {
        fatalError("index(of:) is not available on MutableSet")
    }

    public func contains(_ object: Element) -> Bool {
        guard let managed else { return unmanaged.contains(object) }
        if let object = object as? ObjectBase, object.managed?.realm !== managed.realm {
            return false
        }
        let storing = _Storing(managed.realm)
        return managed.read { (handle) throws(RealmError) in
            try handle.index(of: object._rlmStored(storing)) != nil
        }
    }

    public func isSubset(of possibleSuperset: MutableSet) -> Bool {
        guard let other = stored(possibleSuperset) else {
            return allSatisfy { possibleSuperset.contains($0) }
        }
        return managed!.read { (handle) throws(RealmError) in try handle.isSubset(of: other) }
    }

    public func intersects(_ otherSet: MutableSet) -> Bool {
        guard let other = stored(otherSet) else { return contains { otherSet.contains($0) } }
        return managed!.read { (handle) throws(RealmError) in try handle.intersects(other) }
    }

    /// The other set if both are of one realm, so that they are compared as they are stored; otherwise nil.
    private func stored(_ other: MutableSet) -> CollectionHandle? {
        guard let managed, let theirs = other.managed, managed.realm === theirs.realm else {
            return nil
        }
        return theirs.read { (handle) in handle }
    }

    // MARK: Changing

    public func insert(_ object: Element) {
        guard let managed else {
            if !unmanaged.contains(object) { unmanaged.append(object) }
            return
        }
        let storing = _Storing(managed.realm)
        managed.change { (handle) throws(RealmError) in
            _ = try handle.insert(object._rlmStored(storing))
        }
    }

    public func insert<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        for object in objects { insert(object) }
    }

    public func remove(_ object: Element) {
        guard let managed else {
            unmanaged.removeAll { $0 == object }
            return
        }
        let storing = _Storing(managed.realm)
        managed.change { (handle) throws(RealmError) in
            _ = try handle.remove(object._rlmStored(storing))
        }
    }

    public func removeAll() {
        guard let managed else { return unmanaged.removeAll() }
        managed.change { (handle) throws(RealmError) in try handle.removeAll() }
    }

    public func formIntersection(_ other: MutableSet) {
        if let stored = stored(other) {
            return managed!.change { (handle) throws(RealmError) in
                try handle.formIntersection(stored)
            }
        }
        for element in Array(self) where !other.contains(element) { remove(element) }
    }

    public func formUnion(_ other: MutableSet) {
        guard let stored = stored(other) else { return insert(objectsIn: Array(other)) }
        managed!.change { (handle) throws(RealmError) in try handle.formUnion(stored) }
    }

    public func subtract(_ other: MutableSet) {
        if let stored = stored(other) {
            return managed!.change { (handle) throws(RealmError) in try handle.subtract(stored) }
        }
        for element in Array(other) { remove(element) }
    }

    // MARK: Others made of this

    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor {
        Results(managed, Element.self, "RLMSet").sorted(by: sortDescriptors)
    }

    // MARK: Elsewhere

    public func freeze() -> MutableSet {
        guard let managed else {
            throwRealmException(
                "This method may only be called on RLMSet instances retrieved from an RLMRealm")
        }
        return managed.moved(to: managed.realm.freeze()).map { MutableSet($0) } ?? self
    }

    public func thaw() -> MutableSet? {
        guard let managed else { throwRealmException("Unmanaged sets cannot be thawed") }
        return isFrozen ? managed.moved(to: managed.realm.thaw()).map { MutableSet($0) } : self
    }

    public static func == (a: MutableSet, b: MutableSet) -> Bool { a.isSame(as: b) }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? MutableSet).map { isSame(as: $0) } ?? false
    }

    /// The same set of a realm, or the same elements.
    private func isSame(as other: MutableSet) -> Bool {
        if self === other { return true }
        guard let mine = managed, let theirs = other.managed else {
            return managed == nil && other.managed == nil && Set(unmanaged) == Set(other.unmanaged)
        }
        return mine.isSame(as: theirs)
    }

    public override var hash: Int { managed?.identity ?? Set(unmanaged).hashValue }
    public override var description: String { text(depth: ObjectDescription.deepest) }

    // MARK: As a property

    func assign(_ other: MutableSet) {
        if other === self || managed != nil && isSame(as: other) { return }
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
        guard let elements = given.map({ Converted<Element>.all($0) }) ?? [] else { return nil }
        let set = MutableSet()
        set.insert(objectsIn: elements)
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
        object.checkFresh()
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
        target.update(members: Array(value), storing)
    }
    public static func _rlmAdopt(
        _ given: MutableSet, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> Self? {
        let elements = Array(given)
        // A set that another object has stays that object's.
        let value = given.managed == nil ? given : MutableSet()
        let target = ManagedCollection(object, Int(property), "MutableSet")
        value.becomeManaged(target, elements, storing)
        return unsafeDowncast(value, to: Self.self)
    }
}

extension MutableSet: HeldColumn, HeldValue, HeldCollection where Element: _Persistable {
    static var kindName: String { "MutableSet" }
}

extension MutableSet: DescribedInDepth {
    func text(depth: Int) -> String {
        let name = "MutableSet<\(ManagedCollection.elementName(Element.self, of: managed))>"
        return ObjectDescription.list(self, as: name, at: self, depth: depth)
    }
}
