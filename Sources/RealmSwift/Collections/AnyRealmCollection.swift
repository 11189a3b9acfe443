/// Results, a list, a set or linking objects, whichever.
@frozen public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    private let base: any RealmCollection

    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        self.base = (base as? AnyRealmCollection)?.base ?? base
    }

    public var realm: Realm? { base.realm }
    public var isInvalidated: Bool { base.isInvalidated }
    public var isFrozen: Bool { base.isFrozen }
    public var endIndex: Int { base.count }
    public var count: Int { base.count }
    public var first: Element? { isEmpty ? nil : self[0] }
    public var last: Element? { isEmpty ? nil : self[count - 1] }

    public subscript(position: Int) -> Element { Self.element(base, position) }

    private static func element<C: RealmCollection>(_ base: C, _ position: Int) -> Element {
        base[position] as! Element
    }

    public func makeIterator() -> RLMIterator<Element> { Self.iterator(base) }

    private static func iterator<C: RealmCollection>(_ base: C) -> RLMIterator<Element> {
        base.makeIterator() as! RLMIterator<Element>
    }

    public func index(of object: Element) -> Int? { Self.index(base, object) }

    private static func index<C: RealmCollection>(_ base: C, _ object: Element) -> Int? {
        base.index(of: object as! C.Element)
    }

    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        Self.results(base).filter(format: predicateFormat, args)
    }

    private static func results<C: RealmCollection>(_ base: C) -> Results<Element> {
        base.sorted(by: []) as! Results<Element>
    }

    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor {
        Self.results(base).sorted(by: sortDescriptors)
    }

    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String { Self.results(base).distinct(by: keyPaths) }

    public func freeze() -> AnyRealmCollection { Self.frozen(base) }

    private static func frozen<C: RealmCollection>(_ base: C) -> AnyRealmCollection {
        AnyRealmCollection<Element>(base.freeze(), ())
    }

    public func thaw() -> AnyRealmCollection? { Self.thawed(base) }

    private static func thawed<C: RealmCollection>(_ base: C) -> AnyRealmCollection? {
        base.thaw().map { AnyRealmCollection<Element>($0, ()) }
    }

    private init(_ base: any RealmCollection, _: Void) { self.base = base }

    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        areEqual(a.base, b.base)
    }

    private static func areEqual<C: RealmCollection>(_ a: C, _ b: any RealmCollection) -> Bool {
        (b as? C).map { $0 == a } ?? false
    }

    public var description: String { base.description }
}
