/// Results, a list, a set or linking objects, whichever.
@frozen
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection,
    LocalCollection
{
    @usableFromInline let base: any RealmCollection<Element>

    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        self.base = (base as? AnyRealmCollection)?.base ?? base
    }

    init(any base: any RealmCollection<Element>) { self.base = base }

    var isLocal: Bool { (base as? any LocalCollection)?.isLocal ?? false }

    public var realm: Realm? { base.realm }
    public var isInvalidated: Bool { base.isInvalidated }
    public var isFrozen: Bool { base.isFrozen }
    public var endIndex: Int { base.count }
    public var count: Int { base.count }
    public var first: Element? { base.first }
    public var last: Element? { base.last }
    public subscript(position: Int) -> Element { base[position] }
    public func makeIterator() -> RLMIterator<Element> { iterator(base) }

    private func iterator<C: RealmCollection<Element>>(_ base: C) -> RLMIterator<Element> {
        base.makeIterator()
    }

    public func index(of object: Element) -> Int? { base.index(of: object) }

    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor { base.sorted(by: sortDescriptors) }

    public func value(forKey key: String) -> Any? { base.value(forKey: key) }
    public func value(forKeyPath keyPath: String) -> Any? { base.value(forKeyPath: keyPath) }
    public func setValue(_ value: Any?, forKey key: String) { base.setValue(value, forKey: key) }

    public func freeze() -> AnyRealmCollection { AnyRealmCollection(any: base.freeze()) }
    public func thaw() -> AnyRealmCollection? { base.thaw().map { AnyRealmCollection(any: $0) } }

    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        areEqual(a.base, b.base)
    }

    private static func areEqual<C: RealmCollection>(_ a: C, _ b: any RealmCollection) -> Bool {
        (b as? C).map { $0 == a } ?? false
    }

    public var description: String {
        let text = base.description
        return "AnyRealmCollection" + text.drop { $0 != "<" }
    }
}
