import Dispatch
import Foundation
import RealmEngine

/// Requirements that all collections of a realm share, lists of values included.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
    CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int {
    /// The type of the elements; the SDK's name.
    typealias ElementType = Element
}

/// A collection that can be read by position, filtered, sorted, aggregated and observed (API
/// specification 2.6): `Results`, `List`, `MutableSet`, `LinkingObjects` and `AnyRealmCollection`.
///
/// A managed collection is live: it shows the current version of its realm and is used in the
/// context of the realm only. Filtered and sorted collections are evaluated when they are read.
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
    /// Returns the elements at several positions. Traps if one is out of bounds.
    func objects(at indexes: IndexSet) -> [Element]
    /// Returns the elements that match a predicate in text form, with arguments for `%@`. Traps for
    /// an unmanaged collection, and for a predicate that cannot be evaluated.
    func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element>
    /// Returns the elements that match a predicate. Traps for an unmanaged collection, and for a
    /// predicate that cannot be evaluated.
    func filter(_ predicate: NSPredicate) -> Results<Element>
    /// Returns the elements sorted by several properties, the first one first. The sort is stable
    /// and puts null before all values. Traps for an unmanaged collection, and for a property that
    /// cannot be sorted by.
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor
    /// Returns the first element of each combination of the given properties. Traps for an
    /// unmanaged collection, and for an unknown property.
    func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String
    /// Returns the least value of a property, nil without values. Nulls are skipped. Traps for an
    /// unknown property or one of an unsupported type.
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the greatest value of a property, nil without values. Nulls are skipped. Traps for
    /// an unknown property or one of an unsupported type.
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the sum of a property, 0 without values. Nulls are skipped. Traps for an unknown
    /// property or one of an unsupported type.
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    /// Returns the average of a property, nil without values. Nulls are skipped. Traps for an
    /// unknown property or one of an unsupported type.
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType
    /// Returns an array with the value of a property for each element. Traps for an unknown
    /// property.
    func value(forKey key: String) -> Any?
    /// Returns the values at the end of a key path, or an aggregate for an operator such as
    /// `@count`. Traps for an unknown property or operator.
    func value(forKeyPath keyPath: String) -> Any?
    /// Sets a property of each object. Traps outside of a write transaction, for an unknown
    /// property, and for a value that does not fit.
    func setValue(_ value: Any?, forKey key: String)
    /// Calls `block` with the collection as it is, and again after each change of it.
    ///
    /// Traps for an unmanaged or frozen collection, on a read-only realm, on a plain thread without
    /// a queue, after changes in an open write transaction, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties whose modifications are reported; nil for all.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the context of the
    ///   realm.
    /// - Returns: a token; the observation ends when it is released.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken
    /// Calls `block` on an actor with the collection as it is, and again after each change of it.
    /// The observation has begun when this returns.
    ///
    /// Traps for an unmanaged or frozen collection, on a read-only realm, and for an unknown
    /// property.
    ///
    /// - Parameter keyPaths: properties whose modifications are reported; nil for all.
    /// - Returns: a token; the observation ends when it is released. If the task is cancelled,
    ///   nothing is observed.
    func observe<A: Actor>(
        keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken
    /// Whether the collection belongs to a frozen realm. May be read on any thread.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which does not change and may be read on any thread. Traps for an
    /// unmanaged collection.
    func freeze() -> Self
    /// Returns the live collection of a frozen one, in the context of the caller; nil
    /// if its owner has been deleted. Traps for an unmanaged collection.
    func thaw() -> Self?
    /// Returns the elements in sections of equal keys. Sections are in the order of their first
    /// elements in the sort.
    ///
    /// Traps without a sort descriptor, and for an unmanaged collection.
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

/// A collection that may be unmanaged.
protocol LocalCollection {
    /// Whether the collection is unmanaged, with its elements in memory.
    var isLocal: Bool { get }
}

extension RealmCollection {
    var isLocal: Bool { (self as? any LocalCollection)?.isLocal ?? false }

    /// The elements as results. Traps for an unmanaged collection.
    var results: Results<Element> { sorted(by: [SortDescriptor]()) }

    /// Returns the elements at several positions. Traps if one is out of bounds.
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

    /// Returns the elements that match a predicate made by `NSPredicate(format:)`, or a compound of
    /// such predicates. Traps for an unmanaged collection, and for any other predicate.
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

    /// Returns the first element of each combination of the given properties. Traps for an
    /// unmanaged collection, and for an unknown property.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String { results.distinct(by: keyPaths) }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the elements sorted by a property, which may be reached through links: `owner.name`.
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
/// skipped.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Elements that are accessors of their class, which have a faster path; nil for other
    /// elements. No reference is counted for each step: `keepAlive` has one.
    @usableFromInline let accessors: Unmanaged<ResultsSource.Members>?
    @usableFromInline let keepAlive: ResultsSource.Members?
    @usableFromInline let step: () -> Element?
    /// Elements of a list or set that are values. `piecesKeepAlive` has the reference.
    @usableFromInline let pieces: Unmanaged<ElementPieces<Element>>?
    @usableFromInline let piecesKeepAlive: ElementPieces<Element>?

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

/// A property to sort by, and the direction.
///
/// ```swift
/// let dogs = realm.objects(Dog.self)
///     .sorted(by: [SortDescriptor(keyPath: "age", ascending: false), "name"])
/// ```
@frozen
public struct SortDescriptor: Sendable, Hashable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// Name of the property, or a path to it through links; `self` for collections of values.
    public let keyPath: String
    /// Whether smaller values come first.
    public let ascending: Bool
    let collation: TextCollation

    /// Creates a descriptor.
    public init(keyPath: String, ascending: Bool = true) {
        self.init(keyPath, ascending, .binary)
    }

    /// An order of texts as people read them, which the SDKs do not have.
    ///
    ///     people.sorted(by: [SortDescriptor(keyPath: "name", options: [.caseInsensitive, .numeric])])
    ///
    /// - Parameter options: `.caseInsensitive` (Unicode's simple case folding), `.diacriticInsensitive` and
    ///   `.numeric` (file2 before file10); other options trap. Values that are not texts are in
    ///   their usual order.
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

    /// Creates an ascending descriptor from a literal.
    public init(stringLiteral value: String) { self.init(keyPath: value) }

    /// Returns a descriptor for the opposite direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath, !ascending, collation)
    }

    /// The property and the direction as text.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}
