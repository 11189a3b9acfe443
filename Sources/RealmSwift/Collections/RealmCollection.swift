import Dispatch
import Foundation
import RealmEngine

/// Common requirements of all collections of a realm, collections of values included.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
    CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int {
    /// The type of the elements. The SDK has this second name.
    typealias ElementType = Element
}

/// A collection that can be read by position, filtered, sorted, aggregated and observed (API
/// specification 2.6): `Results`, `List`, `MutableSet`, `LinkingObjects` and `AnyRealmCollection`.
///
/// A managed collection is live: it always has the content of the current version of its realm. It
/// may be used only on the thread, queue or actor of that realm. A frozen collection never changes,
/// and any thread may read it. Filtered and sorted collections are evaluated when they are read.
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable
where Iterator == RLMIterator<Element> {
    /// The realm of the collection; nil for an unmanaged collection.
    var realm: Realm? { get }
    /// Whether the owner of the collection was deleted or its realm was invalidated.
    var isInvalidated: Bool { get }
    /// The number of elements.
    var count: Int { get }
    /// The first element; nil for an empty collection.
    var first: Element? { get }
    /// The last element; nil for an empty collection.
    var last: Element? { get }
    /// Returns the position of the first equal element; nil if there is none.
    func index(of object: Element) -> Int?
    /// Returns the position of the first element that matches a predicate; nil if none does.
    func index(matching predicate: NSPredicate) -> Int?
    /// Returns the position of the first element that matches a predicate in text form, with
    /// arguments for `%@`; nil if none does.
    func index(matching predicateFormat: String, _ args: Any...) -> Int?
    /// Returns the elements at several positions. Traps if a position is out of bounds.
    func objects(at indexes: IndexSet) -> [Element]
    /// Returns the elements that match a predicate in text form, with arguments for `%@`. Traps for
    /// an unmanaged collection, and for a predicate that cannot be evaluated.
    func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element>
    /// Returns the elements that match a predicate. Traps for an unmanaged collection, and for a
    /// predicate that cannot be evaluated.
    func filter(_ predicate: NSPredicate) -> Results<Element>
    /// Returns the elements sorted by several properties; the first descriptor takes precedence.
    /// The sort is stable, and null sorts before all values. Traps for an unmanaged collection, and
    /// for a property that cannot be sorted by.
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor
    /// Returns the first element for each combination of values of the given properties. Traps for
    /// an unmanaged collection, and for an unknown property.
    func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String
    /// Returns the least value of a property, nil if there are no values. Nulls are skipped. Traps
    /// for an unknown property or one of an unsupported type.
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the greatest value of a property, nil if there are no values. Nulls are skipped.
    /// Traps for an unknown property or one of an unsupported type.
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the sum of a property, 0 if there are no values. Nulls are skipped. Traps for an
    /// unknown property or one of an unsupported type.
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    /// Returns the average of a property, nil if there are no values. Nulls are skipped. Traps for
    /// an unknown property or one of an unsupported type.
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType
    /// Returns an array with the value of a property for each element. Traps for an unknown
    /// property.
    func value(forKey key: String) -> Any?
    /// Returns the values at the end of a key path, or an aggregate for an operator such as
    /// `@count`. Traps for an unknown property or operator.
    func value(forKeyPath keyPath: String) -> Any?
    /// Sets a property of each object. Traps outside of a write transaction, for an unknown
    /// property, and for a value of the wrong type.
    func setValue(_ value: Any?, forKey key: String)
    /// Calls `block` first with the initial collection, and then after each change.
    ///
    /// Traps for an unmanaged or frozen collection, on a read-only realm, if `queue` is nil and the
    /// realm belongs to a plain thread (no queue or actor), in a write transaction that has made
    /// changes, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties whose modifications are reported; nil for all.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken
    /// Calls `block` on an actor, first with the initial collection and then after each change. The
    /// observation has begun when this function returns.
    ///
    /// Traps for an unmanaged or frozen collection, on a read-only realm, and for an unknown
    /// property.
    ///
    /// - Parameter keyPaths: properties whose modifications are reported; nil for all.
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the token has no observation.
    func observe<A: Actor>(
        keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken
    /// Whether the collection belongs to a frozen realm. May be read on any thread.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which does not change and may be read on any thread. Traps for an
    /// unmanaged collection.
    func freeze() -> Self
    /// Returns the live version of this frozen collection, for the caller's thread, queue or actor;
    /// nil if the owner was deleted. A live collection returns itself. Traps for an unmanaged
    /// collection.
    func thaw() -> Self?
    /// Groups the sorted elements into sections with equal keys. The sections have the order of
    /// their first elements.
    ///
    /// Traps if there is no sort descriptor, and for an unmanaged collection.
    ///
    /// - Parameter keyBlock: returns the key of an element.
    func sectioned<Key: _Persistable>(
        sortDescriptors: [SortDescriptor], _ keyBlock: @escaping ((Element) -> Key)
    ) -> SectionedResults<Key, Element>
}

extension RealmCollectionBase {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The next position.
    public func index(after i: Int) -> Int { i + 1 }
    /// The previous position.
    public func index(before i: Int) -> Int { i - 1 }
}

/// A collection that can also be unmanaged.
protocol LocalCollection {
    /// Whether the collection is unmanaged, with its elements in memory.
    var isLocal: Bool { get }
}

extension RealmCollection {
    var isLocal: Bool { (self as? any LocalCollection)?.isLocal ?? false }

    /// Results with all elements of the collection. Traps for an unmanaged collection.
    var results: Results<Element> { sorted(by: [SortDescriptor]()) }

    /// Returns the elements at several positions. Traps if a position is out of bounds.
    public func objects(at indexes: IndexSet) -> [Element] {
        if let last = indexes.last, last >= count {
            throwRealmException("Indexes for collection are out of bounds.")
        }
        return indexes.map { self[$0] }
    }

    // MARK: Conditions

    /// Returns the elements that match a predicate in text form, with arguments for `%@`.
    ///
    /// ```swift
    /// let dogs = realm.objects(Dog.self).filter("age > %@ AND name BEGINSWITH %@", 3, "R")
    /// ```
    ///
    /// Traps for an unmanaged collection, and for a predicate that cannot be evaluated.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        results.filter(format: predicateFormat, args)
    }

    /// Returns the elements that match a predicate. The predicate must be made by
    /// `NSPredicate(format:)`, or be a compound of such predicates. Traps for any other predicate,
    /// and for an unmanaged collection.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        results.filtered { (managed) throws(RealmError) in try predicate.query(managed) }
    }

    /// Returns the position of the first element that matches a predicate in text form, with
    /// arguments for `%@`; nil if none does. Traps for a predicate that cannot be evaluated.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        index(matching: NSPredicate(format: predicateFormat, argumentArray: args))
    }

    /// Returns the position of the first element that matches a predicate; nil if none does. Traps
    /// for a predicate that cannot be evaluated.
    public func index(matching predicate: NSPredicate) -> Int? {
        if isLocal { return LocalSearch.index(of: predicate, in: Array(self)) }
        return results.index { (managed) throws(RealmError) in try predicate.query(managed) }
    }

    // MARK: Derived results

    /// Returns the first element for each combination of values of the given properties. Traps for
    /// an unmanaged collection, and for an unknown property.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String { results.distinct(by: keyPaths) }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the elements sorted by a property, or by a property of linked objects: `owner.name`.
    /// Traps for an unmanaged collection, and for a property that cannot be sorted by.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

extension RealmCollection where Element.PersistedType: SortableType {
    /// Returns the elements in ascending or descending order. Traps for an unmanaged collection.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }

    /// Returns the elements without duplicates. Traps for an unmanaged collection.
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

/// Iterates over the elements that a collection had when the iteration began. Deleted objects are
/// skipped. To be used on the thread, queue or actor of the collection.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Iterator over accessors, if the elements are objects of a model class; otherwise nil.
    /// Unmanaged, so that a step of the iteration changes no reference count; `keepAlive` retains
    /// the same object.
    @usableFromInline let accessors: Unmanaged<ResultsSource.Members>?
    @usableFromInline let keepAlive: ResultsSource.Members?
    @usableFromInline let step: () -> Element?
    /// Iterator over the values of a list or set of values such as numbers; nil if the elements are
    /// objects. Unmanaged, so that a step of the iteration changes no reference count;
    /// `piecesKeepAlive` retains the same object.
    @usableFromInline let pieces: Unmanaged<ElementPieces<Element>>?
    @usableFromInline let piecesKeepAlive: ElementPieces<Element>?

    /// Creates an iterator from a closure.
    ///
    /// - Parameter step: returns the next element; nil at the end.
    init(_ step: @escaping () -> Element?) {
        self.step = step
        (accessors, keepAlive, pieces, piecesKeepAlive) = (nil, nil, nil, nil)
    }

    init(_ elements: [Element]) {
        var rest = elements.makeIterator()
        self.init { rest.next() }
    }

    init(_ members: ResultsSource.Members) {
        accessors = Unmanaged.passUnretained(members)
        keepAlive = members
        (pieces, piecesKeepAlive) = (nil, nil)
        step = { nil }
    }

    init(_ elements: ElementPieces<Element>) {
        (accessors, keepAlive) = (nil, nil)
        pieces = Unmanaged.passUnretained(elements)
        piecesKeepAlive = elements
        step = { nil }
    }

    /// Iterates over the elements of a managed list or set.
    init(_ collection: ManagedCollection) {
        if let pieces = ElementPieces<Element>(collection) {
            self.init(pieces)
        } else {
            self.init(
                (0..<collection.count).map { Element._rlmFromStored(collection.element($0)) })
        }
    }

    /// Returns the next element; nil at the end.
    @inlinable public mutating func next() -> Element? {
        if let pieces {
            return withExtendedLifetime(piecesKeepAlive) {
                pieces._withUnsafeGuaranteedRef { $0.nextElement() }
            }
        }
        guard let accessors else { return step() }
        let next = withExtendedLifetime(keepAlive) {
            accessors._withUnsafeGuaranteedRef { $0.nextReference() }
        }
        guard var reference = next else { return nil }
        return withUnsafeMutableBytes(of: &reference) {
            $0.baseAddress!.assumingMemoryBound(to: Element.self).move()
        }
    }
}

/// A property to sort by, with the direction of the sort.
///
/// ```swift
/// let dogs = realm.objects(Dog.self)
///     .sorted(by: [SortDescriptor(keyPath: "age", ascending: false), "name"])
/// ```
@frozen
public struct SortDescriptor: Sendable, Hashable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// Name of the property, or a path through links to it; `self` for collections of values.
    public let keyPath: String
    /// Whether the sort is ascending: smaller values come first.
    public let ascending: Bool
    let collation: TextCollation

    /// Creates a descriptor for a property.
    public init(keyPath: String, ascending: Bool = true) {
        self.init(keyPath, ascending, .binary)
    }

    /// Creates a descriptor that sorts texts by rules of human language. An addition to the SDK.
    ///
    ///     people.sorted(by: [SortDescriptor(keyPath: "name", options: [.caseInsensitive, .numeric])])
    ///
    /// - Parameter options: `.caseInsensitive` (Unicode's simple case folding),
    ///   `.diacriticInsensitive` and `.numeric` (file2 before file10); other options trap. Values
    ///   other than texts are sorted as usual.
    public init(
        keyPath: String, ascending: Bool = true, options: String.CompareOptions
    ) {
        guard options.isSubset(of: [.caseInsensitive, .diacriticInsensitive, .numeric]) else {
            throwRealmException(
                "A SortDescriptor takes the options caseInsensitive, diacriticInsensitive and numeric"
            )
        }
        self.init(
            keyPath, ascending,
            TextCollation(
                foldsCase: options.contains(.caseInsensitive),
                foldsMarks: options.contains(.diacriticInsensitive),
                ordersNumbers: options.contains(.numeric)))
    }

    private init(_ keyPath: String, _ ascending: Bool, _ collation: TextCollation) {
        (self.keyPath, self.ascending, self.collation) = (keyPath, ascending, collation)
    }

    /// Creates a descriptor for ascending order from a key path literal.
    public init(stringLiteral value: String) { self.init(keyPath: value) }

    /// Returns a descriptor for the same property and the opposite direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath, !ascending, collation)
    }

    /// The property and the direction as text.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}
