import Foundation
import RealmEngine

/// What elements of collections of a realm have in common.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
    CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int {
    typealias ElementType = Element
}

/// Results and lists of a realm: read by position, filtered and put in order.
public protocol RealmCollection: RealmCollectionBase, Equatable
where Iterator == RLMIterator<Element> {
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var count: Int { get }
    var first: Element? { get }
    var last: Element? { get }
    func index(of object: Element) -> Int?
    func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element>
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor
    func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
}

extension RealmCollectionBase {
    public var startIndex: Int { 0 }
}

extension RealmCollection where Element: KeypathSortable {
    /// By one property, or what a path of links leads to.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

/// Goes over the elements a collection had when it began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private let step: () -> Element?

    /// - Parameter step: the next element; nil at the end.
    init(_ step: @escaping () -> Element?) { self.step = step }

    init(_ elements: [Element]) {
        var rest = elements.makeIterator()
        step = { rest.next() }
    }

    public mutating func next() -> Element? { step() }
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

/// Collections as text, as the SDKs write them.
func describe<C: RealmCollectionBase>(_ collection: C, as name: String) -> String {
    let most = 100
    var lines = collection.prefix(most).enumerated().map { index, element in
        "\t[\(index)] " + "\(element)".replacingOccurrences(of: "\n", with: "\n\t")
    }
    if collection.count > most { lines.append("\t... \(collection.count - most) objects skipped.") }
    return "\(name) (\n\(lines.joined(separator: ",\n"))\n)"
}
