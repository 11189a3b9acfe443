import Dispatch
import Foundation
import RealmEngine

/// Sections, and the elements of one (API specification 2.8).
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined {
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var count: Int { get }
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

/// Results in sections: elements with the same key come together, the sections in the order in which
/// their first elements come.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult, CustomStringConvertible
{
    public typealias Element = ResultsSection<Key, SectionElement>
    let source: SectionsSource<Key, SectionElement>

    init(_ source: SectionsSource<Key, SectionElement>) { self.source = source }

    public var realm: Realm? { source.results.realm }
    public var isInvalidated: Bool { source.results.isInvalidated }
    public var isFrozen: Bool { source.results.isFrozen }
    public func freeze() -> SectionedResults { SectionedResults(source.frozen()) }
    public func thaw() -> SectionedResults? { source.thawed().map { SectionedResults($0) } }

    public var startIndex: Int { 0 }
    public var endIndex: Int { source.layout.keys.count }
    public var count: Int { endIndex }
    /// The keys of the sections, in their order.
    public var allKeys: [Key] { source.layout.keys }

    public subscript(_ index: Int) -> Element {
        let keys = source.layout.keys
        SectionsLayout<Key>.check(index, keys.count)
        return ResultsSection(source, keys[index])
    }

    public subscript(_ indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }

    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(source.layout.keys.map { ResultsSection(source, $0) })
    }

    public static func == (a: SectionedResults, b: SectionedResults) -> Bool {
        a.source === b.source || a.source.results == b.source.results
    }

    public var description: String { SectionsText.of(self, "SectionedResults", source) }
}

/// The elements with one key. Empty when there are none any more.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>:
    RealmSectionedResult, CustomStringConvertible, Identifiable
{
    public typealias Element = T
    let source: SectionsSource<Key, T>
    public let key: Key

    init(_ source: SectionsSource<Key, T>, _ key: Key) { (self.source, self.key) = (source, key) }

    public var id: Key { key }
    public var realm: Realm? { source.results.realm }
    public var isInvalidated: Bool { source.results.isInvalidated }
    public var isFrozen: Bool { source.results.isFrozen }
    public func freeze() -> ResultsSection { ResultsSection(source.frozen(), key) }
    public func thaw() -> ResultsSection? { source.thawed().map { ResultsSection($0, key) } }

    private var positions: [Int] { source.layout.positions(of: key) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { positions.count }
    public var count: Int { endIndex }

    public subscript(_ index: Int) -> T {
        let positions = positions
        SectionsLayout<Key>.check(index, positions.count)
        return source.results[positions[index]]
    }

    public func makeIterator() -> SectionIterator<T> {
        SectionIterator(positions.map { source.results[$0] })
    }

    public static func == (a: ResultsSection, b: ResultsSection) -> Bool {
        a.key == b.key && (a.source === b.source || a.source.results == b.source.results)
    }

    public var description: String { SectionsText.of(self, "ResultsSection", source) }
}

/// Goes over the elements of a section.
@frozen public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var rest: ArraySlice<Element>
    init(_ elements: [Element]) { rest = elements[...] }
    public mutating func next() -> Element? { rest.popFirst() }
}

/// Goes over the sections there were when it began.
@frozen
public struct SectionedResultsIterator<
    Key: _Persistable & Hashable, Element: RealmCollectionValue
>: IteratorProtocol {
    private var rest: ArraySlice<ResultsSection<Key, Element>>
    init(_ sections: [ResultsSection<Key, Element>]) { rest = sections[...] }
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
