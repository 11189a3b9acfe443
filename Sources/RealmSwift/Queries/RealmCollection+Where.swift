import Foundation
import RealmEngine

extension RealmCollection {
    /// Those for which the closure's condition holds too.
    public func `where`(_ isIncluded: ((Query<Element>) -> Query<Bool>)) -> Results<Element> {
        let condition = isIncluded(Query()).node
        return results.filtered { (managed) throws(RealmError) in
            try QueryNodeBuilder.query(condition, managed)
        }
    }

    /// The first that the closure's condition holds for.
    public func index(matching isIncluded: ((Query<Element>) -> Query<Bool>)) -> Int?
    where Element: _RealmSchemaDiscoverable {
        let condition = isIncluded(Query())
        if isLocal {
            let (format, arguments) = condition._constructPredicate()
            return index(matching: NSPredicate(format: format, argumentArray: arguments))
        }
        return results.index { (managed) throws(RealmError) in
            try QueryNodeBuilder.query(condition.node, managed)
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// By the property a key path leads to.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where T.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
    }

    /// The first of each combination of the values that key paths lead to.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}

extension SortDescriptor {
    public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
        self.init(keyPath: _name(for: keyPath), ascending: ascending)
    }
}

/// How text is compared.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let caseInsensitive = StringOptions(rawValue: 1)
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
