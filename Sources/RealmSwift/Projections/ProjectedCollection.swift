import Dispatch
import Foundation
import RealmEngine

extension List where Element: ObjectBase & RealmCollectionValue {
    /// A property of all elements: `list.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> {
        CollectionElementMapper(AnyRealmCollection(self))
    }
}

extension MutableSet where Element: ObjectBase & RealmCollectionValue {
    /// A property of all elements: `set.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> {
        CollectionElementMapper(AnyRealmCollection(self))
    }
}

/// Asks for a property of all elements of a collection.
@dynamicMemberLookup
public struct CollectionElementMapper<Element> where Element: ObjectBase & RealmCollectionValue {
    private let collection: AnyRealmCollection<Element>

    init(_ collection: AnyRealmCollection<Element>) { self.collection = collection }

    public subscript<V>(dynamicMember member: KeyPath<Element, V>) -> ProjectedCollection<V> {
        ProjectedCollection(collection, member)
    }
}

/// A property of all elements of a collection, in their order.
public struct ProjectedCollection<Element>: RandomAccessCollection, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue {
    public typealias Index = Int
    fileprivate let base: any ProjectedBase<Element>

    init<Object: ObjectBase & RealmCollectionValue>(
        _ collection: AnyRealmCollection<Object>, _ keyPath: KeyPath<Object, Element>
    ) { base = ProjectedElements(collection: collection, keyPath: keyPath) }

    fileprivate init(_ base: any ProjectedBase<Element>) { self.base = base }

    public var startIndex: Int { 0 }
    public var endIndex: Int { base.count }
    public subscript(position: Int) -> Element {
        get { base.element(position) }
        nonmutating set { base.set(newValue, position) }
    }

    public func index(of object: Element) -> Int? { firstIndex(of: object) }
    /// The first element whose object the condition holds for.
    public func index(matching predicate: NSPredicate) -> Int? { base.index(matching: predicate) }

    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken { observe(keyPaths: nil, on: queue, block) }

    /// As the collection is observed. Key paths are those of its objects.
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

    public var realm: Realm? { base.realm }
    public var isInvalidated: Bool { base.isInvalidated }
    public var isFrozen: Bool { base.isFrozen }
    public func freeze() -> ProjectedCollection { ProjectedCollection(base.frozen()) }
    public func thaw() -> ProjectedCollection? { base.thawed().map { ProjectedCollection($0) } }

    public var description: String {
        let lines = enumerated().map { "\t[\($0)] \($1)\n" }
        return "ProjectedCollection<\(Element.self)> {\n\(lines.joined())}"
    }
}

/// A collection and the property that is asked of its elements.
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
            case .error: return
            }
        }
    }

    func frozen() -> any ProjectedBase<Element> { moved(collection.freeze()) }
    func thawed() -> (any ProjectedBase<Element>)? { collection.thaw().map { moved($0) } }
}
