import Dispatch
import Foundation
import RealmEngine

/// What elements of collections of a realm have in common.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
    CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int {
    typealias ElementType = Element
}

/// Results and lists of a realm: read by position, filtered and put in order (API specification 2.6).
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable
where Iterator == RLMIterator<Element> {
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var count: Int { get }
    var first: Element? { get }
    var last: Element? { get }
    func index(of object: Element) -> Int?
    func index(matching predicate: NSPredicate) -> Int?
    func index(matching predicateFormat: String, _ args: Any...) -> Int?
    /// Traps for places that there are not.
    func objects(at indexes: IndexSet) -> [Element]
    func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element>
    func filter(_ predicate: NSPredicate) -> Results<Element>
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor
    func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType
    func value(forKey key: String) -> Any?
    func value(forKeyPath keyPath: String) -> Any?
    func setValue(_ value: Any?, forKey key: String)
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken
    func observe<A: Actor>(
        keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
    func sectioned<Key: _Persistable>(
        sortDescriptors: [SortDescriptor], _ keyBlock: @escaping ((Element) -> Key)
    ) -> SectionedResults<Key, Element>
}

extension RealmCollectionBase {
    public var startIndex: Int { 0 }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }
}

/// Collections that need not be of a realm.
protocol LocalCollection {
    /// It is in no realm: its elements are here.
    var isLocal: Bool { get }
}

extension RealmCollection {
    var isLocal: Bool { (self as? any LocalCollection)?.isLocal ?? false }

    /// The elements as results. Traps for a collection that is in no realm.
    var results: Results<Element> { sorted(by: [SortDescriptor]()) }

    public func objects(at indexes: IndexSet) -> [Element] {
        if let last = indexes.last, last >= count {
            throwRealmException("Indexes for collection are out of bounds.")
        }
        return indexes.map { self[$0] }
    }

    // MARK: Conditions

    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        results.filter(format: predicateFormat, args)
    }

    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        results.filtered { (managed) throws(RealmError) in try predicate.query(managed) }
    }

    /// The first that a condition holds for.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        index(matching: NSPredicate(format: predicateFormat, argumentArray: args))
    }

    public func index(matching predicate: NSPredicate) -> Int? {
        if isLocal { return LocalSearch.index(of: predicate, in: Array(self)) }
        return results.index { (managed) throws(RealmError) in try predicate.query(managed) }
    }

    // MARK: Others made of this

    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String { results.distinct(by: keyPaths) }
}

extension RealmCollection where Element: KeypathSortable {
    /// By one property, or what a path of links leads to.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

extension RealmCollection where Element.PersistedType: SortableType {
    /// By value.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }

    /// The first of equal values.
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

/// Goes over the elements a collection had when it began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Elements that are accessors of their class, which take the short way; nil for others. No
    /// reference is counted for each step: `keeper` has one.
    @usableFromInline let accessors: Unmanaged<ResultsSource.Members>?
    @usableFromInline let keeper: ResultsSource.Members?
    @usableFromInline let step: () -> Element?
    /// Elements of a list or set that are values. `piecesKeeper` has the reference.
    @usableFromInline let pieces: Unmanaged<ElementPieces<Element>>?
    @usableFromInline let piecesKeeper: ElementPieces<Element>?

    /// - Parameter step: the next element; nil at the end.
    init(_ step: @escaping () -> Element?) {
        self.step = step
        (accessors, keeper, pieces, piecesKeeper) = (nil, nil, nil, nil)
    }

    init(_ elements: [Element]) {
        var rest = elements.makeIterator()
        self.init { rest.next() }
    }

    init(_ members: ResultsSource.Members) {
        accessors = Unmanaged.passUnretained(members)
        keeper = members
        (pieces, piecesKeeper) = (nil, nil)
        step = { nil }
    }

    init(_ elements: ElementPieces<Element>) {
        (accessors, keeper) = (nil, nil)
        pieces = Unmanaged.passUnretained(elements)
        piecesKeeper = elements
        step = { nil }
    }

    /// The elements of a list or set of a realm.
    init(_ collection: ManagedCollection) {
        if let pieces = ElementPieces<Element>(collection) {
            self.init(pieces)
        } else {
            self.init(
                (0..<collection.count).map { Element._rlmFromStored(collection.element($0)) })
        }
    }

    @inlinable public mutating func next() -> Element? {
        if let pieces {
            return withExtendedLifetime(piecesKeeper) {
                pieces._withUnsafeGuaranteedRef { $0.nextElement() }
            }
        }
        guard let accessors else { return step() }
        let next = withExtendedLifetime(keeper) {
            accessors._withUnsafeGuaranteedRef { $0.nextReference() }
        }
        guard var reference = next else { return nil }
        return withUnsafeMutableBytes(of: &reference) {
            $0.baseAddress!.assumingMemoryBound(to: Element.self).move()
        }
    }
}

/// What a sort goes by.
@frozen
public struct SortDescriptor: Sendable, Hashable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    public let keyPath: String
    public let ascending: Bool

    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    public init(stringLiteral value: String) { self.init(keyPath: value) }

    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }

    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}
