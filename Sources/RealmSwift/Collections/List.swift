import Foundation
import RealmEngine

/// A list: of an object of a realm, or until that is stored an array.
public final class List<Element: RealmCollectionValue>: NSObject, RealmCollection,
    MutableCollection,
    LocalCollection
{
    var isLocal: Bool { managed == nil }
    private var unmanaged: [Element] = []
    @exclusivity(unchecked) @usableFromInline var managed: ManagedCollection?

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
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

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
        guard let managed else { return unmanaged[position] }
        return Element._rlmFromStored(managed.element(position))
    }

    private func check(_ position: Int, below count: Int) {
        if position < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
        if position >= count {
            throwRealmException(
                "Index \(position) is out of bounds (must be less than \(count)).")
        }
    }

    public func makeIterator() -> RLMIterator<Element> {
        managed.map { RLMIterator($0) } ?? RLMIterator(unmanaged)
    }

    public func index(of object: Element) -> Int? {
        guard let managed else { return localIndex(of: object) }
        // Equal integers are stored alike; what is equal otherwise, the type says.
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

    /// Compares the elements as the program has them.
    private func localIndex(of object: Element) -> Int? {
        for position in 0..<count where self[position] == object { return position }
        guard let wanted = plain(object) as? ObjectBase else { return nil }
        for position in 0..<count where wanted.isSame(as: plain(self[position]) as? ObjectBase) {
            return position
        }
        return nil
    }

    // MARK: Changing

    public func append(_ object: Element) {
        guard let managed, object._rlmEmbedded == nil else { return insert(object, at: count) }
        managed.edit { (elements, handle) throws(RealmError) in
            try elements.append(object._rlmStored(managed.storing), to: handle)
        }
    }

    public func append<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        for object in objects { append(object) }
    }

    public func insert(_ object: Element, at index: Int) {
        check(index, below: count + 1)
        guard let managed else { return unmanaged.insert(object, at: index) }
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

    public func replace(index: Int, object: Element) {
        check(index, below: count)
        replace(at: index, object)
    }

    public func remove(at index: Int) {
        check(index, below: count)
        guard let managed else {
            unmanaged.remove(at: index)
            return
        }
        managed.change { (handle) throws(RealmError) in try handle.remove(at: index) }
    }

    public func removeAll() {
        guard let managed else { return unmanaged.removeAll() }
        managed.change { (handle) throws(RealmError) in try handle.removeAll() }
    }

    public func move(from: Int, to: Int) {
        check(from, below: count)
        check(to, below: count)
        guard let managed else {
            unmanaged.insert(unmanaged.remove(at: from), at: to)
            return
        }
        managed.change { (handle) throws(RealmError) in try handle.move(from: from, to: to) }
    }

    public func swapAt(_ index1: Int, _ index2: Int) {
        check(index1, below: count)
        check(index2, below: count)
        guard let managed else { return unmanaged.swapAt(index1, index2) }
        managed.change { (handle) throws(RealmError) in try handle.swap(index1, index2) }
    }

    // MARK: Others made of this

    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor {
        Results(managed, Element.self, "RLMArray").sorted(by: sortDescriptors)
    }

    // MARK: Elsewhere

    public func freeze() -> List {
        guard let managed else {
            throwRealmException(
                "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        }
        return moved(managed.realm.freeze()) ?? self
    }

    public func thaw() -> List? {
        guard let managed else { throwRealmException("Unmanaged lists cannot be thawed") }
        return isFrozen ? moved(managed.realm.thaw()) : self
    }

    private func moved(_ realm: RealmInstance) -> List? {
        managed?.moved(to: realm).map { List($0) }
    }

    public static func == (a: List, b: List) -> Bool { a.isSame(as: b) }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? List).map { isSame(as: $0) } ?? false
    }

    /// The same list of a realm, or the same elements.
    private func isSame(as other: List) -> Bool {
        if self === other { return true }
        guard let mine = managed, let theirs = other.managed else {
            return managed == nil && other.managed == nil && unmanaged == other.unmanaged
        }
        return mine.isSame(as: theirs)
    }

    public override var hash: Int { managed?.identity ?? unmanaged.hashValue }
    public override var description: String { text(depth: ObjectDescription.deepest) }

    // MARK: As a property

    func assign(_ other: List) {
        if other === self || managed != nil && isSame(as: other) { return }
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
        guard let elements = given.map({ Converted<Element>.all($0) }) ?? [] else { return nil }
        let list = List()
        list.unmanaged = elements
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
        object.checkFresh()
        return kept.managed != nil
    }
    public static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: List) {
        List(ManagedCollection(object, Int(property), "List")).assign(value)
    }
    public static func _rlmAdopt(
        _ given: List, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> Self? {
        let target = ManagedCollection(object, Int(property), "List")
        let elements = given.managed == nil ? given.unmanaged : Array(given)
        // A list that another object has stays that object's.
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
        target.update(elements: Array(value), storing)
    }

    private func append(_ elements: [Element], _ storing: _Storing) {
        for element in elements {
            // What the elements link to is added by the policy of the whole.
            if let object = element as? ObjectBase, !(object is EmbeddedObject) {
                _ = storing.realm.adopt(object, storing)
            }
            append(element)
        }
    }
}

extension List: HeldColumn, HeldValue, HeldCollection where Element: _Persistable {
    static var kindName: String { "List" }
}

extension List: DescribedInDepth {
    func text(depth: Int) -> String {
        let name = "List<\(ManagedCollection.elementName(Element.self, of: managed))>"
        return ObjectDescription.list(self, as: name, at: self, depth: depth)
    }
}
