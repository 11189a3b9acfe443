import Foundation
import RealmEngine

// Conditions that closures of `where` make (API specification 2.15). Each operator makes a node; the
// engine's condition is built from the nodes, and so is the SDK's text.

@dynamicMemberLookup public struct Query<T> {
    let node: QueryNode

    init(_ node: QueryNode) { self.node = node }

    /// The object itself.
    init() { node = .path(NodePath()) }

    public static func _constructForTesting() -> Query<T> { Query() }

    /// As the text of a predicate and its arguments.
    public func _constructPredicate() -> (String, [Any]) {
        let text = QueryText(node)
        return (text.text, text.arguments)
    }

    var path: NodePath {
        guard case .path(let path) = node else {
            throwRealmException("Only properties have properties, not what they are compared to.")
        }
        return path
    }

    fileprivate func compared(
        _ relation: QueryRelation, _ other: QueryNode, _ options: StringOptions = []
    ) -> Query<Bool> {
        if case .path(let mine) = node, case .path(let theirs) = other, mine.isCollection,
            theirs.isCollection
        {
            throwRealmException("Comparing two collection columns is not permitted.")
        }
        return Query<Bool>(.comparison(node, relation, other, options))
    }

    fileprivate func compared(
        _ relation: QueryRelation, value: Any?, _ options: StringOptions = []
    ) -> Query<Bool> { compared(relation, .constant(value), options) }

    fileprivate func between(_ low: Any, _ high: Any) -> Query<Bool> {
        Query<Bool>(.between(node, low, high))
    }

    /// At least one value and less than another.
    fileprivate func ranging(_ low: Any, below high: Any) -> Query<Bool> {
        compared(.greaterEqual, value: low) && compared(.less, value: high)
    }

    /// Every element of a collection lies in a range.
    fileprivate func elementsRange(_ low: Any, _ relation: QueryRelation, _ high: Any) -> Query<
        Bool
    > {
        let (least, greatest): (Query<Bool>, Query<Bool>) = (ending("@min"), ending("@max"))
        return least.compared(.greaterEqual, value: low) && greatest.compared(relation, value: high)
    }

    /// What the collection at the end of the path is reduced to.
    fileprivate func ending<V>(_ function: String) -> Query<V> {
        var path = path.appending(.function(function))
        path.isCollection = false
        return Query<V>(.path(path))
    }

    /// What a property of the objects of a collection is reduced to.
    fileprivate func reduced<V>(_ function: String) -> Query<V> {
        Query<V>(.path(path.reduced(function)))
    }

    fileprivate func holds(_ value: Any?) -> Query<Bool> {
        var path = path
        path.isCollection = false
        return Query<Bool>(.comparison(.constant(value), .in, .path(path), []))
    }

    fileprivate func member<Root: ObjectBase, V>(_ keyPath: KeyPath<Root, V>, isCollection: Bool?)
        -> Query<V>
    {
        var path = path
        if case .key? = path.parts.last {
            throwRealmException("Cannot apply key path to Map subscripts.")
        }
        let names = _KeyPathRecording.names(for: keyPath, of: Root.self)
        for (i, name) in names.enumerated() {
            let isLast = i == names.count - 1
            path = path.appending(.name(name), isCollection: isLast ? isCollection : nil)
        }
        return Query<V>(.path(path))
    }

    public static func == (a: Query, b: T) -> Query<Bool> { a.compared(.equal, value: b) }
    public static func == (a: Query, b: Query) -> Query<Bool> { a.compared(.equal, b.node) }
    public static func != (a: Query, b: T) -> Query<Bool> { a.compared(.notEqual, value: b) }
    public static func != (a: Query, b: Query) -> Query<Bool> { a.compared(.notEqual, b.node) }
    public func `in`<U: Sequence>(_ collection: U) -> Query<Bool> where U.Element == T {
        compared(.in, value: Array(collection))
    }
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> where T: ObjectBase {
        self.member(member, isCollection: nil)
    }
    public subscript<V: RealmKeyedCollection>(dynamicMember member: KeyPath<T, V>) -> Query<V>
    where T: ObjectBase {
        self.member(member, isCollection: true)
    }
    public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T, V>) -> Query<V>
    where T: ObjectBase {
        self.member(member, isCollection: true)
    }
}
extension Query where T == Bool {
    public static prefix func ! (a: Query) -> Query<Bool> { Query(.not(a.node)) }
    public static func && (a: Query, b: Query) -> Query<Bool> {
        Query(.joined(a.node, isAnd: true, b.node))
    }
    public static func || (a: Query, b: Query) -> Query<Bool> {
        Query(.joined(a.node, isAnd: false, b.node))
    }
    /// `(predicate over one collection).count`, a sub-query.
    public var count: Query<Int> {
        guard let collection = node.collection else {
            throwRealmException("Subqueries must contain a keypath starting with a collection.")
        }
        return Query<Int>(.subqueryCount(collection, node))
    }
}
extension Query where T: OptionalProtocol {
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V>
    where T.Wrapped: ObjectBase {
        self.member(member, isCollection: nil)
    }
    public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<
        V
    > where T.Wrapped: ObjectBase {
        self.member(member, isCollection: true)
    }
    public subscript<V: RealmKeyedCollection>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<
        V
    > where T.Wrapped: ObjectBase {
        self.member(member, isCollection: true)
    }
}

// MARK: numbers
extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, value: b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, b.node) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterEqual, value: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterEqual, b.node) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, value: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, b.node) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessEqual, value: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessEqual, b.node) }
    public var min: Query { reduced("@min") }
    public var max: Query { reduced("@max") }
    public var avg: Query { reduced("@avg") }
    public var sum: Query { reduced("@sum") }
    /// The sample standard deviation; null for fewer than two values. The SDK does not have it.
    public var standardDeviation: Query<Double> { reduced("@stddev") }
    /// The value in the middle, or the mean of the two in the middle. The SDK does not have it.
    public var median: Query<Double> { reduced("@median") }
}
extension Query where T: Comparable {
    public func contains(_ range: Range<T>) -> Query<Bool> {
        ranging(range.lowerBound, below: range.upperBound)
    }
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound)
    }
}
extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        ranging(range.lowerBound, below: range.upperBound)
    }
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound)
    }
}

// MARK: text and bytes
extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value: value, caseInsensitive ? .caseInsensitive : [])
    }
    public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, column.node, caseInsensitive ? .caseInsensitive : [])
    }
}
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value: value, options)
    }
    public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _Persistable, U.PersistedType: _QueryBinary {
        compared(.contains, column.node, options)
    }
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value: value, options)
    }
    public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, column.node, options)
    }
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value: value, options)
    }
    public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, column.node, options)
    }
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value: value, options)
    }
    public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, column.node, options)
    }
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value: value, options)
    }
    public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, column.node, options)
    }
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, value: b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, b.node) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterEqual, value: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterEqual, b.node) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, value: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, b.node) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessEqual, value: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessEqual, b.node) }
}

// MARK: mixed
extension Query where T == AnyRealmValue {
    public subscript(position: Int) -> Query<AnyRealmValue> {
        Query(.path(path.appending(.key(position))))
    }
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(.path(path.appending(.key(key))))
    }
    public var any: Query<AnyRealmValue> { Query(.path(path.appending(.any))) }
}

// MARK: lists, sets, backlinks
extension Query where T: RealmCollection {
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V>
    where T.Element: ObjectBase {
        self.member(member, isCollection: nil)
    }
    public var count: Query<Int> { ending("@count") }
    public func contains(_ value: T.Element) -> Query<Bool> { holds(value) }
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Element {
        compared(.in, value: Array(collection))
    }
    public static func == (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.equal, value: b)
    }
    public static func != (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.notEqual, value: b)
    }
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
        Query<AnyRealmCollection<T.Element.PersistedType>>(node)
    }
}
extension Query where T: RealmCollection, T.Element: Comparable {
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
    public static func > (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.greater, value: b)
    }
    public static func >= (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.greaterEqual, value: b)
    }
    public static func < (a: Query<T>, b: T.Element) -> Query<Bool> { a.compared(.less, value: b) }
    public static func <= (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.lessEqual, value: b)
    }
    public var min: Query<T.Element> { ending("@min") }
    public var max: Query<T.Element> { ending("@max") }
    public var avg: Query<T.Element> { ending("@avg") }
    public var sum: Query<T.Element> { ending("@sum") }
    /// The sample standard deviation; null for fewer than two values. The SDK does not have it.
    public var standardDeviation: Query<Double> { ending("@stddev") }
    /// The value in the middle, or the mean of the two in the middle. The SDK does not have it.
    public var median: Query<Double> { ending("@median") }
}

// MARK: maps
extension Query where T: RealmKeyedCollection {
    public var count: Query<Int> { ending("@count") }
    public var values: Query<T.Value> {
        Query<T.Value>(.path(path.appending(.function("@allValues"))))
    }
    public subscript(key: T.Key) -> Query<T.Value> {
        var path = path.appending(.key(key))
        path.isCollection = false
        return Query<T.Value>(.path(path))
    }
    public func contains(_ value: T.Value) -> Query<Bool> { holds(value) }
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Value {
        compared(.in, value: Array(collection))
    }
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
        Query<Map<T.Key, T.Value.PersistedType>>(node)
    }
}
extension Query where T: RealmKeyedCollection, T.Key == String {
    public var keys: Query<String> { Query<String>(.path(path.appending(.function("@allKeys")))) }
}
extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
    public var min: Query<T.Value> { ending("@min") }
    public var max: Query<T.Value> { ending("@max") }
    public var avg: Query<T.Value> { ending("@avg") }
    public var sum: Query<T.Value> { ending("@sum") }
    /// The sample standard deviation; null for fewer than two values. The SDK does not have it.
    public var standardDeviation: Query<Double> { ending("@stddev") }
    /// The value in the middle, or the mean of the two in the middle. The SDK does not have it.
    public var median: Query<Double> { ending("@median") }
}

// MARK: enums and custom types
extension Query where T: PersistableEnum, T.RawValue: _RealmSchemaDiscoverable {
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}
extension Query
where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _RealmSchemaDiscoverable
{
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}
extension Query
where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
        Query<AnyRealmCollection<T.Element.RawValue>>(node)
    }
}
extension Query
where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
        Query<Map<T.Key, T.Value.RawValue>>(node)
    }
}
extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
        Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(node)
    }
}
extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
        Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(node)
    }
}
extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// The place an embedded object stands for lies in a part of the globe.
    public func geoWithin<G: RLMGeospatial>(_ shape: G) -> Query<Bool> {
        compared(.in, value: shape)
    }
}
extension Query where T: _HasPersistedType {
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension QueryNode {
    /// The collection that all paths of a condition begin with; nil when there is none.
    fileprivate var collection: NodePath? {
        switch self {
        case .path(let path):
            path.collectionRoot.map { NodePath(Array(path.parts[...$0])) }
        case .comparison(let left, _, let right, _): left.collection ?? right.collection
        case .joined(let left, _, let right): left.collection ?? right.collection
        case .not(let node), .between(let node, _, _): node.collection
        case .constant, .subqueryCount: nil
        }
    }
}
