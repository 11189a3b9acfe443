import Dispatch
import Foundation
import RealmEngine

extension List where Element: ObjectBase & RealmCollectionValue {
    /// Selects a property of the elements by name: `list.projectTo.name` has the names of all
    /// elements.
    public var projectTo: CollectionElementMapper<Element> {
        CollectionElementMapper(AnyRealmCollection(self))
    }
}

extension MutableSet where Element: ObjectBase & RealmCollectionValue {
    /// Selects a property of the elements by name: `set.projectTo.name` has the names of all
    /// elements.
    public var projectTo: CollectionElementMapper<Element> {
        CollectionElementMapper(AnyRealmCollection(self))
    }
}

/// Selects one property of the elements of a collection by its name.
@dynamicMemberLookup
public struct CollectionElementMapper<Element> where Element: ObjectBase & RealmCollectionValue {
    private let collection: AnyRealmCollection<Element>

    init(_ collection: AnyRealmCollection<Element>) { self.collection = collection }

    /// The values of a property for all elements of the collection.
    public subscript<V>(dynamicMember member: KeyPath<Element, V>) -> ProjectedCollection<V> {
        ProjectedCollection(collection, member)
    }
}

/// The values of one property for all elements of a collection, in the order of the elements. Live
/// like the collection, and to be used on the same thread, queue or actor.
///
/// ```swift
/// let names = person.dogs.projectTo.name
/// print(Array(names))
/// ```
public struct ProjectedCollection<Element>: RandomAccessCollection, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue {
    /// Position of a value.
    public typealias Index = Int
    fileprivate let base: any ProjectedBase<Element>

    init<Object: ObjectBase & RealmCollectionValue>(
        _ collection: AnyRealmCollection<Object>, _ keyPath: KeyPath<Object, Element>
    ) { base = ProjectedElements(collection: collection, keyPath: keyPath) }

    fileprivate init(_ base: any ProjectedBase<Element>) { self.base = base }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { base.count }
    /// The property of the element at a position. Setting it sets the property of the object.
    /// Setting traps if the property cannot be set, and outside of a write transaction.
    public subscript(position: Int) -> Element {
        get { base.element(position) }
        nonmutating set { base.set(newValue, position) }
    }

    /// Returns the position of the first equal value; nil if there is none.
    public func index(of object: Element) -> Int? { firstIndex(of: object) }
    /// Returns the position of the first element whose object matches a predicate; nil if none
    /// does.
    public func index(matching predicate: NSPredicate) -> Int? { base.index(matching: predicate) }

    /// Calls `block` first with the initial projected collection, and then after each change.
    ///
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken { observe(keyPaths: nil, on: queue, block) }

    /// Calls `block` first with the initial projected collection, and then after each change.
    ///
    /// - Parameter keyPaths: properties of the objects whose modifications are reported; nil for
    ///   all.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken {
        base.observe(keyPaths, queue) { change, base in
            switch change {
            case .initial: block(.initial(ProjectedCollection(base)))
            case .update(_, let deletions, let insertions, let modifications):
                block(
                    .update(
                        ProjectedCollection(base), deletions: deletions, insertions: insertions,
                        modifications: modifications))
            case .error(let error): block(.error(error))
            }
        }
    }

    /// The realm of the collection; nil for an unmanaged collection.
    public var realm: Realm? { base.realm }
    /// Whether the owner of the collection was deleted or its realm was invalidated.
    public var isInvalidated: Bool { base.isInvalidated }
    /// Whether the collection belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { base.isFrozen }
    /// Returns a frozen copy, which any thread may read. Traps for an unmanaged collection.
    public func freeze() -> ProjectedCollection { ProjectedCollection(base.frozen()) }
    /// Returns the live version of this frozen collection, for the caller\'s thread, queue or
    /// actor; nil if its owner was deleted.
    public func thaw() -> ProjectedCollection? { base.thawed().map { ProjectedCollection($0) } }

    /// The values as text.
    public var description: String {
        let lines = enumerated().map { "\t[\($0)] \($1)\n" }
        return "ProjectedCollection<\(Element.self)> {\n\(lines.joined())}"
    }
}

/// A collection of objects and the property to read from them. Type-erased: only the type of the
/// property is known, not the class of the objects.
private protocol ProjectedBase<Element> {
    associatedtype Element: RealmCollectionValue
    var count: Int { get }
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var isFrozen: Bool { get }
    func element(_ position: Int) -> Element
    func set(_ value: Element, _ position: Int)
    func index(matching predicate: NSPredicate) -> Int?
    func observe(
        _ keyPaths: [String]?, _ queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Void>, any ProjectedBase<Element>) -> Void
    ) -> NotificationToken
    func frozen() -> any ProjectedBase<Element>
    func thawed() -> (any ProjectedBase<Element>)?
}

private struct ProjectedElements<Object: ObjectBase & RealmCollectionValue, Element>: ProjectedBase
where Element: RealmCollectionValue {
    let collection: AnyRealmCollection<Object>
    let keyPath: KeyPath<Object, Element>

    var count: Int { collection.count }
    var realm: Realm? { collection.realm }
    var isInvalidated: Bool { collection.isInvalidated }
    var isFrozen: Bool { collection.isFrozen }
    func element(_ position: Int) -> Element { collection[position][keyPath: keyPath] }

    func set(_ value: Element, _ position: Int) {
        guard let writable = keyPath as? ReferenceWritableKeyPath<Object, Element> else {
            throwRealmException("KeyPath is not writable")
        }
        collection[position][keyPath: writable] = value
    }

    func index(matching predicate: NSPredicate) -> Int? { collection.index(matching: predicate) }

    private func moved(_ collection: AnyRealmCollection<Object>) -> ProjectedElements {
        ProjectedElements(collection: collection, keyPath: keyPath)
    }

    func observe(
        _ keyPaths: [String]?, _ queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Void>, any ProjectedBase<Element>) -> Void
    ) -> NotificationToken {
        collection.observe(keyPaths: keyPaths, on: queue) { change in
            switch change {
            case .initial(let now): block(.initial(()), moved(now))
            case .update(let now, let deletions, let insertions, let modifications):
                block(
                    .update(
                        (), deletions: deletions, insertions: insertions,
                        modifications: modifications), moved(now))
            case .error(let error): block(.error(error), self)
            }
        }
    }

    func frozen() -> any ProjectedBase<Element> { moved(collection.freeze()) }
    func thawed() -> (any ProjectedBase<Element>)? { collection.thaw().map { moved($0) } }
}
