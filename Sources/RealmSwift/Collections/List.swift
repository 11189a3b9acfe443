import Foundation
import RealmEngine

/// An ordered collection of values or objects, as a property of an object.
///
/// The list of a managed object reads and writes the database. It can be changed inside write
/// transactions only, and used only on the thread, queue or actor of its realm, unless it is
/// frozen. The list of an unmanaged object has its elements in memory and can be neither queried
/// nor observed.
///
/// ```swift
/// try realm.write {
///     person.dogs.append(Dog(value: ["name": "Bo"]))
///     person.dogs.insert(rex, at: 0)
/// }
/// for dog in person.dogs.where({ $0.age > 3 }) { print(dog.name) }
/// ```
public final class List<Element: RealmCollectionValue>: NSObject, RealmCollection,
    MutableCollection,
    LocalCollection
{
    var isLocal: Bool { managed == nil }
    private var unmanaged: [Element] = []
    /// Elements of an unmanaged list, kept as stored because `Element`, a
    /// `FailableCustomPersistable`, rejects at least one of them. Nil for all other lists; their
    /// elements are in `unmanaged`.
    private var refused: RefusedElements<Element>?
    @exclusivity(unchecked) @usableFromInline var managed: ManagedCollection?

    /// Creates an empty unmanaged list.
    public override init() { super.init() }

    init(_ managed: ManagedCollection) {
        self.managed = managed
        super.init()
    }

    /// The realm of the list; nil for an unmanaged list.
    public var realm: Realm? { managed.map { Realm($0.realm) } }
    /// Whether the owner of the list was deleted or its realm was invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }
    /// Whether the list belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { managed?.realm.isFrozen ?? false }

    /// The number of elements.
    public var endIndex: Int { count }
    /// The number of elements.
    public var count: Int { managed?.count ?? refused?.count ?? unmanaged.count }
    /// The first element; nil for an empty list.
    public var first: Element? { isEmpty ? nil : self[0] }
    /// The last element; nil for an empty list.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// The element at a position. Traps if the position is out of bounds, and when set in a managed
    /// list outside of a write transaction.
    @inlinable public subscript(position: Int) -> Element {
        get {
            if Element.self == Int.self, let integer = managed?.integer(at: position) {
                return unsafeBitCast(integer, to: Element.self)
            }
            return element(position)
        }
        set { replace(index: position, object: newValue) }
    }

    @usableFromInline
    func element(_ position: Int) -> Element {
        check(position, below: count)
        guard let managed else { return refused?[position] ?? unmanaged[position] }
        return Element._rlmFromStored(managed.element(position))
    }

    private func check(_ position: Int, below count: Int) {
        if position < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
        if position >= count {
            throwRealmException(
                "Index \(position) is out of bounds (must be less than \(count)).")
        }
    }

    /// Returns an iterator over the current elements. The list may be changed during the iteration.
    public func makeIterator() -> RLMIterator<Element> {
        managed.map { RLMIterator($0) } ?? RLMIterator(refused?.all ?? unmanaged)
    }

    /// Returns the position of the first equal element; nil if there is none.
    public func index(of object: Element) -> Int? {
        guard let managed else { return localIndex(of: object) }
        // Integers and integer enums are searched by the engine, because their stored form is
        // unique for each value. Other types are compared with their own `==`.
        if Element.self is any _IntegerColumn.Type {
            let value = object._rlmStored(_Storing(managed.realm))
            return managed.read { (handle) throws(RealmError) in try handle.index(of: value) }
        }
        if let pieces = ElementPieces<Element>(managed) {
            var position = 0
            while let element = pieces.nextElement() {
                if element == object { return position }
                position += 1
            }
            return nil
        }
        return localIndex(of: object)
    }

    /// Returns the position of the first element that equals `object` by `==`, or that is the same
    /// stored object; nil if there is none.
    private func localIndex(of object: Element) -> Int? {
        for position in 0..<count where self[position] == object { return position }
        guard let wanted = plain(object) as? ObjectBase else { return nil }
        for position in 0..<count where wanted.isSame(as: plain(self[position]) as? ObjectBase) {
            return position
        }
        return nil
    }

    // MARK: Changes

    /// Called before an unmanaged list is changed. If the list keeps its elements in stored form
    /// (`refused`), converts them to `Element`. Traps if `Element` rejects one of them.
    private func convertRefused() {
        guard let all = refused?.all else { return }
        (unmanaged, refused) = (all, nil)
    }

    /// Appends an element. An unmanaged object is added to the realm of a managed list.
    ///
    /// Traps for a managed list outside of a write transaction, for a deleted object or one of
    /// another realm, and for an embedded object that is already managed.
    public func append(_ object: Element) {
        guard let managed, object._rlmEmbedded == nil else { return insert(object, at: count) }
        managed.edit { (elements, handle) throws(RealmError) in
            try elements.append(object._rlmStored(managed.storing), to: handle)
        }
    }

    /// Appends the elements of a sequence one by one. Traps under the same conditions as
    /// `append(_:)`.
    public func append<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        for object in objects { append(object) }
    }

    /// Inserts an element before position `index`. An index equal to `count` appends the element.
    /// An unmanaged object is added to the realm of a managed list.
    ///
    /// Traps if the position is out of bounds, for a managed list outside of a write transaction,
    /// for a deleted object or one of another realm, and for an embedded object that is already
    /// managed.
    public func insert(_ object: Element, at index: Int) {
        check(index, below: count + 1)
        guard let managed else {
            convertRefused()
            return unmanaged.insert(object, at: index)
        }
        let storing = _Storing(managed.realm)
        managed.change { (handle) throws(RealmError) in
            guard let child = object._rlmEmbedded else {
                return try handle.insert(object._rlmStored(storing), at: index)
            }
            Self.checkNew(child)
            managed.realm.fill(child, try handle.insertEmbedded(at: index), storing)
        }
    }

    private static func checkNew(_ child: EmbeddedObject) {
        if child.isManaged {
            throwRealmException("Cannot add an existing managed embedded object to a List.")
        }
    }

    private func replace(at index: Int, _ object: Element) {
        guard let managed else {
            convertRefused()
            unmanaged[index] = object
            return
        }
        if let child = object._rlmEmbedded {
            Self.checkNew(child)
            remove(at: index)
            return insert(object, at: index)
        }
        managed.edit { (elements, handle) throws(RealmError) in
            try elements.set(object._rlmStored(managed.storing), at: index, of: handle)
        }
    }

    /// Replaces the element at a position. Traps under the same conditions as `insert(_:at:)`.
    public func replace(index: Int, object: Element) {
        check(index, below: count)
        replace(at: index, object)
    }

    /// Removes the element at a position. An object that is removed from the list remains in the
    /// realm, unless it is embedded. Traps if the position is out of bounds, and for a managed list
    /// outside of a write transaction.
    public func remove(at index: Int) {
        check(index, below: count)
        guard let managed else {
            convertRefused()
            unmanaged.remove(at: index)
            return
        }
        managed.change { (handle) throws(RealmError) in try handle.remove(at: index) }
    }

    /// Removes all elements. Objects remain in the realm, unless they are embedded. Traps for a
    /// managed list outside of a write transaction.
    public func removeAll() {
        guard let managed else {
            refused = nil
            return unmanaged.removeAll()
        }
        managed.change { (handle) throws(RealmError) in try handle.removeAll() }
    }

    /// Moves the element at position `from` so that its new position is `to`. Traps if a position
    /// is out of bounds, and for a managed list outside of a write transaction.
    public func move(from: Int, to: Int) {
        check(from, below: count)
        check(to, below: count)
        guard let managed else {
            convertRefused()
            unmanaged.insert(unmanaged.remove(at: from), at: to)
            return
        }
        managed.change { (handle) throws(RealmError) in try handle.move(from: from, to: to) }
    }

    /// Exchanges two elements. Traps if a position is out of bounds, and for a managed list outside
    /// of a write transaction.
    public func swapAt(_ index1: Int, _ index2: Int) {
        check(index1, below: count)
        check(index2, below: count)
        guard let managed else {
            convertRefused()
            return unmanaged.swapAt(index1, index2)
        }
        managed.change { (handle) throws(RealmError) in try handle.swap(index1, index2) }
    }

    // MARK: Derived results

    /// Returns the elements sorted by several properties; the first descriptor takes precedence.
    /// Traps for an unmanaged list, and for a property that cannot be sorted by.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor {
        Results(managed, Element.self, "RLMArray").sorted(by: sortDescriptors)
    }

    // MARK: Freezing and thawing

    /// Returns a frozen copy, which does not change and may be read on any thread. Traps for an
    /// unmanaged list, and for the list of an object that was deleted or that the open write
    /// transaction created.
    public func freeze() -> List {
        guard let managed else {
            throwRealmException(
                "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        }
        return List(managed.frozen())
    }

    /// Returns the live version of this frozen list, for the caller's thread, queue or actor; nil
    /// if the owner was deleted. A live list returns itself. Traps for an unmanaged list.
    public func thaw() -> List? {
        guard let managed else { throwRealmException("Unmanaged lists cannot be thawed") }
        return isFrozen ? moved(managed.realm.thaw()) : self
    }

    private func moved(_ realm: RealmInstance) -> List? {
        managed?.moved(to: realm).map { List($0) }
    }

    /// Whether both are the same list of the same realm, or unmanaged lists with equal elements.
    public static func == (a: List, b: List) -> Bool { a.isSame(as: b) }

    /// Whether `object` is equal by `==`.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? List).map { isSame(as: $0) } ?? false
    }

    /// Whether both are the same list of the same realm, or unmanaged lists with equal elements.
    private func isSame(as other: List) -> Bool {
        if self === other { return true }
        guard let mine = managed, let theirs = other.managed else {
            return managed == nil && other.managed == nil && Array(self) == Array(other)
        }
        return mine.isSame(as: theirs)
    }

    /// Hash value, equal for equal lists.
    public override var hash: Int { managed?.identity ?? unmanaged.hashValue }
    /// The list as text, with up to 100 elements.
    public override var description: String { text(depth: ObjectDescription.deepest) }

    // MARK: Persisted property

    func assign(_ other: List) {
        if other === self || managed != nil && isSame(as: other) { return }
        if let refused = other.refused {
            if let managed { return refused.replace(managed) }
            (self.refused, unmanaged) = (refused, [])
            return
        }
        let elements = Array(other)
        removeAll()
        append(objectsIn: elements)
    }
}

extension List: _RealmSchemaDiscoverable where Element: _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { Element._rlmType }
    public static var _rlmOptional: Bool { Element._rlmOptional }
    public static var _rlmShape: _PropertyShape {
        var shape = Element._rlmShape
        shape.collection = .list
        return shape
    }
}

extension List: _ObjcBridgeable {
    public static func _rlmFromStored(_ stored: _Stored) -> Self { mismatch(stored.value, self) }
    public func _rlmStored(_ storing: _Storing) -> Value { .null }
}

extension List: _HasPersistedType, _Persistable, _DefaultConstructible where Element: _Persistable {
    public typealias PersistedType = List
    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self {
        unsafeDowncast(List(ManagedCollection(object, Int(property), "List")), to: Self.self)
    }
    public static func _rlmConverted(_ value: Any?) -> Self? {
        if let list = value as? Self { return list }
        let given = Converted<Element>.given(value)
        let list = List()
        if let elements = given.map({ Converted<Element>.all($0) }) ?? [] {
            list.unmanaged = elements
        } else if let refused = given.flatMap({ RefusedElements<Element>.list($0) }) {
            list.refused = refused
        } else {
            return nil
        }
        return unsafeDowncast(list, to: Self.self)
    }
    public static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self {
        let list = List()
        list.unmanaged = recorder.element(Element.self).map { [$0] } ?? []
        return unsafeDowncast(list, to: Self.self)
    }
    public static var _rlmIsKept: Bool { true }
    public static func _rlmAssign(_ value: List, to kept: List) { kept.assign(value) }
    public static func _rlmStays(_ kept: List, _ object: ObjectBase) -> Bool {
        object.checkNotInvalidated()
        return kept.managed != nil
    }
    public static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: List) {
        List(ManagedCollection(object, Int(property), "List")).assign(value)
    }
    public static func _rlmAdopt(
        _ given: List, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> Self? {
        let target = ManagedCollection(object, Int(property), "List")
        if let refused = given.refused {
            (given.managed, given.refused) = (target, nil)
            refused.replace(target)
            return unsafeDowncast(given, to: Self.self)
        }
        let elements = given.managed == nil ? given.unmanaged : Array(given)
        // A list that belongs to another managed object is copied: this object gets a new `List`.
        let value = given.managed == nil ? given : List()
        value.managed = target
        value.unmanaged = []
        if storing.policy == .modified {
            target.update(elements: elements, storing)
        } else {
            if target.count > 0 { value.removeAll() }
            value.append(elements, storing)
        }
        return unsafeDowncast(value, to: Self.self)
    }

    public static func _rlmUpdate(
        _ object: ObjectBase, _ property: UInt16, _ value: List, _ storing: _Storing
    ) {
        let target = ManagedCollection(object, Int(property), "List")
        if let managed = value.managed, managed.isSame(as: target) { return }
        if let refused = value.refused { return refused.replace(target) }
        target.update(elements: Array(value), storing)
    }

    private func append(_ elements: [Element], _ storing: _Storing) {
        for element in elements {
            // Adds the objects first, so that the objects they link to are added with the same
            // update policy.
            if let object = element as? ObjectBase, !(object is EmbeddedObject) {
                _ = storing.realm.adopt(object, storing)
            }
            append(element)
        }
    }
}

extension List: HolderColumn, HolderValue, HolderCollection where Element: _Persistable {
    static var kindName: String { "List" }
}

extension List: DescribedInDepth {
    func text(depth: Int) -> String {
        let name = "List<\(ManagedCollection.elementName(Element.self, of: managed))>"
        return ObjectDescription.list(self, as: name, at: self, depth: depth)
    }
}
