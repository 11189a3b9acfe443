import Foundation
import RealmEngine

extension RealmCollection {
    /// Returns the elements for which the condition of a closure holds.
    ///
    /// ```swift
    /// let dogs = realm.objects(Dog.self).where { $0.age > 3 && $0.name.like("R*") }
    /// ```
    ///
    /// The closure is called once, to build the condition. Traps for an unmanaged collection, and
    /// for a collection of values.
    public func `where`(_ isIncluded: ((Query<Element>) -> Query<Bool>)) -> Results<Element> {
        let condition = isIncluded(Query()).node
        return results.filtered { (managed) throws(RealmError) in
            try QueryNodeBuilder.query(condition, managed)
        }
    }

    /// Returns the position of the first element for which the condition of a closure holds; nil if
    /// there is none.
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
    /// Returns the objects sorted by the property at the end of a key path. Traps for an unmanaged
    /// collection.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where T.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
    }

    /// Returns the first object for each combination of values of the properties at the end of key
    /// paths. Traps for an unmanaged collection.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}

extension SortDescriptor {
    /// Creates a descriptor for the property at the end of a key path.
    public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
        self.init(keyPath: _name(for: keyPath), ascending: ascending)
    }
}

/// Options of text comparisons.
public struct StringOptions: OptionSet, Sendable {
    /// Bits of the option set.
    public let rawValue: Int8
    /// Creates options from their bits.
    public init(rawValue: Int8) { self.rawValue = rawValue }
    /// Ignores the case of ASCII letters and of U+00C0 to U+00FE; of all letters if
    /// `Realm.Configuration.textComparison` is `.unicode`.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Ignores diacritical marks.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
