/// A type-erased collection: results, a list, a set or linking objects. Like the wrapped
/// collection, it may be used only on the thread, queue or actor of its realm.
///
/// ```swift
/// func names(of dogs: AnyRealmCollection<Dog>) -> [String] { dogs.map(\.name) }
/// print(names(of: AnyRealmCollection(realm.objects(Dog.self))))
/// print(names(of: AnyRealmCollection(person.dogs)))
/// ```
@frozen
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection,
    LocalCollection
{
    @usableFromInline let base: any RealmCollection<Element>

    /// Wraps a collection. Changes of the collection are visible through the wrapper.
    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        self.base = (base as? AnyRealmCollection)?.base ?? base
    }

    init(any base: any RealmCollection<Element>) { self.base = base }

    var isLocal: Bool { (base as? any LocalCollection)?.isLocal ?? false }

    /// The realm of the collection; nil for an unmanaged collection.
    public var realm: Realm? { base.realm }
    /// Whether the owner of the collection was deleted or its realm was invalidated.
    public var isInvalidated: Bool { base.isInvalidated }
    /// Whether the collection belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { base.isFrozen }
    /// The number of elements.
    public var endIndex: Int { base.count }
    /// The number of elements.
    public var count: Int { base.count }
    /// The first element; nil for an empty collection.
    public var first: Element? { base.first }
    /// The last element; nil for an empty collection.
    public var last: Element? { base.last }
    /// The element at a position. Traps if it is out of bounds.
    public subscript(position: Int) -> Element { base[position] }
    /// Returns an iterator over the current elements.
    public func makeIterator() -> RLMIterator<Element> { iterator(base) }

    private func iterator<C: RealmCollection<Element>>(_ base: C) -> RLMIterator<Element> {
        base.makeIterator()
    }

    /// Returns the position of the first equal element; nil if there is none.
    public func index(of object: Element) -> Int? { base.index(of: object) }

    /// Returns the elements sorted by several properties; the first descriptor takes precedence.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor { base.sorted(by: sortDescriptors) }

    /// Returns an array with the value of a property for each element.
    public func value(forKey key: String) -> Any? { base.value(forKey: key) }
    /// Returns the values at the end of a key path, or an aggregate for an operator such as
    /// `@count`.
    public func value(forKeyPath keyPath: String) -> Any? { base.value(forKeyPath: keyPath) }
    /// Sets a property of each element. Traps outside of a write transaction.
    public func setValue(_ value: Any?, forKey key: String) { base.setValue(value, forKey: key) }

    /// Returns a frozen copy, which any thread may read. Traps for an unmanaged collection.
    public func freeze() -> AnyRealmCollection { AnyRealmCollection(any: base.freeze()) }
    /// Returns the live version of this frozen collection, for the caller\'s thread, queue or
    /// actor; nil if its owner was deleted. Traps for an unmanaged collection.
    public func thaw() -> AnyRealmCollection? { base.thaw().map { AnyRealmCollection(any: $0) } }

    /// Whether the wrapped collections are equal and of the same type.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        areEqual(a.base, b.base)
    }

    private static func areEqual<C: RealmCollection>(_ a: C, _ b: any RealmCollection) -> Bool {
        (b as? C).map { $0 == a } ?? false
    }

    /// The collection as text, with up to 100 elements.
    public var description: String {
        let text = base.description
        return "AnyRealmCollection" + text.drop { $0 != "<" }
    }
}
