import Dispatch
import Foundation
import RealmEngine

/// A collection of sections, or of the elements of one section (API specification 2.8). May be used
/// only on the thread, queue or actor of its realm, unless it is frozen.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined {
    /// The realm of the sections.
    var realm: Realm? { get }
    /// Whether the realm was invalidated.
    var isInvalidated: Bool { get }
    /// Number of sections of the results, or number of elements of one section.
    var count: Int { get }
    /// Whether the sections belong to a frozen realm. May be read on any thread.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which does not change and may be read on any thread.
    func freeze() -> Self
    /// Returns the live version of these frozen sections, for the caller's thread, queue or actor.
    /// Live sections return themselves.
    func thaw() -> Self?
    /// Calls `block` first with the initial sections, and then after each change.
    ///
    /// - Parameter keyPaths: properties whose modifications are reported; nil for all.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

/// Results grouped into sections. The elements of a section have equal keys. The sections have the
/// order of their first elements.
///
/// The sections are live like results: they are computed again after the realm has advanced. They
/// may be used only on the thread, queue or actor of their realm, unless they are frozen.
///
/// ```swift
/// let sections = realm.objects(Dog.self).sectioned(by: \.age)
/// for section in sections {
///     print(section.key, section.map(\.name))
/// }
/// ```
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult, CustomStringConvertible
{
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>
    let source: SectionsSource<Key, SectionElement>

    init(_ source: SectionsSource<Key, SectionElement>) { self.source = source }

    /// The realm of the results.
    public var realm: Realm? { source.results.realm }
    /// Whether the realm was invalidated.
    public var isInvalidated: Bool { source.results.isInvalidated }
    /// Whether the results belong to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { source.results.isFrozen }
    /// Returns a frozen copy, which does not change and may be read on any thread.
    public func freeze() -> SectionedResults { SectionedResults(source.frozen()) }
    /// Returns the live version of these frozen sections, for the caller's thread, queue or actor.
    /// Live sections return themselves.
    public func thaw() -> SectionedResults? { source.thawed().map { SectionedResults($0) } }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { source.layout.keys.count }
    /// The number of sections.
    public var count: Int { endIndex }
    /// The keys of the sections, in their order.
    public var allKeys: [Key] { source.layout.keys }

    /// The section at a position. Traps if it is out of bounds.
    public subscript(_ index: Int) -> Element {
        let keys = source.layout.keys
        SectionsLayout<Key>.check(index, keys.count)
        return ResultsSection(source, keys[index])
    }

    /// The element at a position: a section, and an index in the section. Traps if one of them is
    /// out of bounds.
    public subscript(_ indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }

    /// Returns an iterator over the current sections.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(source.layout.keys.map { ResultsSection(source, $0) })
    }

    /// Whether both are sections of the same results.
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool {
        a.source === b.source || a.source.results == b.source.results
    }

    /// The sections and their elements as text.
    public var description: String { SectionsText.of(self, "SectionedResults", source) }
}

/// A section of a `SectionedResults`: the elements with one key. The section becomes empty when no
/// element has the key any more.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>:
    RealmSectionedResult, CustomStringConvertible, Identifiable
{
    /// Type of the elements.
    public typealias Element = T
    let source: SectionsSource<Key, T>
    /// The key that the elements share.
    public let key: Key

    init(_ source: SectionsSource<Key, T>, _ key: Key) { (self.source, self.key) = (source, key) }

    /// The key of the section, as in `key`.
    public var id: Key { key }
    /// The realm of the section.
    public var realm: Realm? { source.results.realm }
    /// Whether the realm was invalidated.
    public var isInvalidated: Bool { source.results.isInvalidated }
    /// Whether the results belong to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { source.results.isFrozen }
    /// Returns a frozen copy, which does not change and may be read on any thread.
    public func freeze() -> ResultsSection { ResultsSection(source.frozen(), key) }
    /// Returns the live version of this frozen section, for the caller's thread, queue or actor. A
    /// live section returns itself.
    public func thaw() -> ResultsSection? { source.thawed().map { ResultsSection($0, key) } }

    private var positions: [Int] { source.layout.positions(of: key) }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { positions.count }
    /// The number of elements.
    public var count: Int { endIndex }

    /// The element at a position. Traps if it is out of bounds.
    public subscript(_ index: Int) -> T {
        let positions = positions
        SectionsLayout<Key>.check(index, positions.count)
        return source.results[positions[index]]
    }

    /// Returns an iterator over the current elements.
    public func makeIterator() -> SectionIterator<T> {
        SectionIterator(positions.map { source.results[$0] })
    }

    /// Whether both are sections of the same results with the same key.
    public static func == (a: ResultsSection, b: ResultsSection) -> Bool {
        a.key == b.key && (a.source === b.source || a.source.results == b.source.results)
    }

    /// The elements as text.
    public var description: String { SectionsText.of(self, "ResultsSection", source) }
}

/// Iterates over the elements that a section had when the iteration began.
@frozen public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var rest: ArraySlice<Element>
    init(_ elements: [Element]) { rest = elements[...] }
    /// Returns the next element; nil at the end.
    public mutating func next() -> Element? { rest.popFirst() }
}

/// Iterates over the sections that a `SectionedResults` had when the iteration began.
@frozen
public struct SectionedResultsIterator<
    Key: _Persistable & Hashable, Element: RealmCollectionValue
>: IteratorProtocol {
    private var rest: ArraySlice<ResultsSection<Key, Element>>
    init(_ sections: [ResultsSection<Key, Element>]) { rest = sections[...] }
    /// Returns the next section; nil at the end.
    public mutating func next() -> ResultsSection<Key, Element>? { rest.popFirst() }
}

private enum SectionsText {
    static func of<C: Collection>(_ collection: C, _ name: String, _ place: AnyObject) -> String {
        let lines = collection.enumerated().map {
            "\t[\($0)] " + "\($1)".replacingOccurrences(of: "\n", with: "\n\t")
        }
        let address = String(UInt(bitPattern: ObjectIdentifier(place)), radix: 16)
        return "\(name)<\(C.Element.self)> <0x\(address)> (\n\(lines.joined(separator: ",\n"))\n)"
    }
}
