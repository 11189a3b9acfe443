import Foundation
import RealmEngine

// Conditions of `where` closures (API specification 2.15). Each operator makes a node; the engine's
// condition and the SDK's predicate text are built from the nodes.

/// A condition, or the path to a property in a condition, as the closures of `where(_:)` combine
/// them.
///
/// Properties are read by their names; operators compare them with values or with each other. In a
/// condition, a property of a collection's objects means any of them.
///
/// ```swift
/// realm.objects(Person.self).where { $0.name == "Ann" && $0.age > 30 }
/// realm.objects(Person.self).where { $0.name.starts(with: "a", options: .caseInsensitive) }
/// realm.objects(Person.self).where { $0.dogs.age > 10 || !$0.email.ends(with: ".org") }
/// realm.objects(Person.self).where { ($0.dogs.age > 10 && $0.dogs.name == "Rex").count > 1 }
/// ```
@dynamicMemberLookup public struct Query<T> {
    let node: QueryNode

    init(_ node: QueryNode) { self.node = node }

    /// The object that the condition is about.
    init() { node = .path(NodePath()) }

    /// Creates the query of a closure's parameter, for tests.
    public static func _constructForTesting() -> Query<T> { Query() }

    /// Returns the condition as the text of a predicate with its arguments, in the form of the SDK.
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

    /// Whether the value is at least `low` and less than `high`.
    fileprivate func ranging(_ low: Any, below high: Any) -> Query<Bool> {
        compared(.greaterEqual, value: low) && compared(.less, value: high)
    }

    /// Whether every element of a collection is in a range.
    fileprivate func elementsRange(_ low: Any, _ relation: QueryRelation, _ high: Any) -> Query<
        Bool
    > {
        let (least, greatest): (Query<Bool>, Query<Bool>) = (ending("@min"), ending("@max"))
        return least.compared(.greaterEqual, value: low) && greatest.compared(relation, value: high)
    }

    /// An aggregate function of the collection at the end of the path.
    fileprivate func ending<V>(_ function: String) -> Query<V> {
        var path = path.appending(.function(function))
        path.isCollection = false
        return Query<V>(.path(path))
    }

    /// An aggregate function of a property of a collection's objects.
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

    /// Whether the property equals a value.
    public static func == (a: Query, b: T) -> Query<Bool> { a.compared(.equal, value: b) }
    /// Whether two properties are equal. Traps for two collections.
    public static func == (a: Query, b: Query) -> Query<Bool> { a.compared(.equal, b.node) }
    /// Whether the property differs from a value.
    public static func != (a: Query, b: T) -> Query<Bool> { a.compared(.notEqual, value: b) }
    /// Whether two properties differ. Traps for two collections.
    public static func != (a: Query, b: Query) -> Query<Bool> { a.compared(.notEqual, b.node) }
    /// Whether the property equals an element of `collection`.
    public func `in`<U: Sequence>(_ collection: U) -> Query<Bool> where U.Element == T {
        compared(.in, value: Array(collection))
    }
    /// A property of the object.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> where T: ObjectBase {
        self.member(member, isCollection: nil)
    }
    /// A map of the object.
    public subscript<V: RealmKeyedCollection>(dynamicMember member: KeyPath<T, V>) -> Query<V>
    where T: ObjectBase {
        self.member(member, isCollection: true)
    }
    /// A collection of the object.
    public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T, V>) -> Query<V>
    where T: ObjectBase {
        self.member(member, isCollection: true)
    }
}
extension Query where T == Bool {
    /// Negates a condition, or compares a Boolean property with false.
    public static prefix func ! (a: Query) -> Query<Bool> { Query(.not(a.node)) }
    /// Whether both conditions hold.
    public static func && (a: Query, b: Query) -> Query<Bool> {
        Query(.joined(a.node, isAnd: true, b.node))
    }
    /// Whether one of the conditions holds.
    public static func || (a: Query, b: Query) -> Query<Bool> {
        Query(.joined(a.node, isAnd: false, b.node))
    }
    /// Number of a collection's elements for which the condition in parentheses holds.
    ///
    /// `($0.dogs.age > 10).count > 1` is a subquery. Traps if no path of the condition begins with
    /// a collection.
    public var count: Query<Int> {
        guard let collection = node.collection else {
            throwRealmException("Subqueries must contain a keypath starting with a collection.")
        }
        return Query<Int>(.subqueryCount(collection, node))
    }
}
extension Query where T: OptionalProtocol {
    /// A property of the linked object; null if there is no object.
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V>
    where T.Wrapped: ObjectBase {
        self.member(member, isCollection: nil)
    }
    /// A collection of the linked object.
    public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<
        V
    > where T.Wrapped: ObjectBase {
        self.member(member, isCollection: true)
    }
    /// A map of the linked object.
    public subscript<V: RealmKeyedCollection>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<
        V
    > where T.Wrapped: ObjectBase {
        self.member(member, isCollection: true)
    }
}

// MARK: numbers
extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// Whether the property is greater than a value.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, value: b) }
    /// Whether the property is greater than another one.
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, b.node) }
    /// Whether the property is greater than or equal to a value.
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterEqual, value: b) }
    /// Whether the property is greater than or equal to another one.
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterEqual, b.node) }
    /// Whether the property is less than a value.
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, value: b) }
    /// Whether the property is less than another one.
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, b.node) }
    /// Whether the property is less than or equal to a value.
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessEqual, value: b) }
    /// Whether the property is less than or equal to another one.
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessEqual, b.node) }
    /// The least value of the property among a collection's objects.
    public var min: Query { reduced("@min") }
    /// The greatest value of the property among a collection's objects.
    public var max: Query { reduced("@max") }
    /// The average of the property among a collection's objects.
    public var avg: Query { reduced("@avg") }
    /// The sum of the property over a collection's objects.
    public var sum: Query { reduced("@sum") }
    /// The sample standard deviation of the property among a collection's objects; null for fewer
    /// than two values. An addition to the SDK.
    public var standardDeviation: Query<Double> { reduced("@stddev") }
    /// The median of the property among a collection's objects: the value in the middle, or the
    /// mean of the two values in the middle. An addition to the SDK.
    public var median: Query<Double> { reduced("@median") }
}
extension Query where T: Comparable {
    /// Whether the property is in a range.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        ranging(range.lowerBound, below: range.upperBound)
    }
    /// Whether the property is in a range.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound)
    }
}
extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Whether the property is in a range; false for null.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        ranging(range.lowerBound, below: range.upperBound)
    }
    /// Whether the property is in a range; false for null.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound)
    }
}

// MARK: text and bytes
extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Whether the text matches a pattern, where `*` matches any characters and `?` one character.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value: value, caseInsensitive ? .caseInsensitive : [])
    }
    /// Whether the text matches the pattern in another property, where `*` matches any characters
    /// and `?` one character.
    public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, column.node, caseInsensitive ? .caseInsensitive : [])
    }
}
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Whether the text or data contains a value.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value: value, options)
    }
    /// Whether the text or data contains the value of another property.
    public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _Persistable, U.PersistedType: _QueryBinary {
        compared(.contains, column.node, options)
    }
    /// Whether the text or data starts with a value.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value: value, options)
    }
    /// Whether the text or data starts with the value of another property.
    public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, column.node, options)
    }
    /// Whether the text or data ends with a value.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value: value, options)
    }
    /// Whether the text or data ends with the value of another property.
    public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, column.node, options)
    }
    /// Whether the text or data equals a value, with options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value: value, options)
    }
    /// Whether the text or data equals another property, with options.
    public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, column.node, options)
    }
    /// Whether the text or data differs from a value, with options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value: value, options)
    }
    /// Whether the text or data differs from another property, with options.
    public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, column.node, options)
    }
    /// Whether the text or data is greater than a value.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, value: b) }
    /// Whether the text or data is greater than another property.
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, b.node) }
    /// Whether the text or data is greater than or equal to a value.
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterEqual, value: b) }
    /// Whether the text or data is greater than or equal to another property.
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterEqual, b.node) }
    /// Whether the text or data is less than a value.
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, value: b) }
    /// Whether the text or data is less than another property.
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, b.node) }
    /// Whether the text or data is less than or equal to a value.
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessEqual, value: b) }
    /// Whether the text or data is less than or equal to another property.
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessEqual, b.node) }
}

// MARK: mixed
extension Query where T == AnyRealmValue {
    /// The element at a position, if the value is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        Query(.path(path.appending(.key(position))))
    }
    /// The value for a key, if the value is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(.path(path.appending(.key(key))))
    }
    /// Any element of a list, or any value of a dictionary.
    public var any: Query<AnyRealmValue> { Query(.path(path.appending(.any))) }
}

// MARK: lists, sets, backlinks
extension Query where T: RealmCollection {
    /// A property of any of the collection's objects.
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V>
    where T.Element: ObjectBase {
        self.member(member, isCollection: nil)
    }
    /// The number of elements.
    public var count: Query<Int> { ending("@count") }
    /// Whether the collection contains a value.
    public func contains(_ value: T.Element) -> Query<Bool> { holds(value) }
    /// Whether the collection contains an element of another collection.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Element {
        compared(.in, value: Array(collection))
    }
    /// Whether any element equals a value.
    public static func == (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.equal, value: b)
    }
    /// Whether any element differs from a value.
    public static func != (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.notEqual, value: b)
    }
    /// The collection with its elements as they are stored, for elements of a custom type.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
        Query<AnyRealmCollection<T.Element.PersistedType>>(node)
    }
}
extension Query where T: RealmCollection, T.Element: Comparable {
    /// Whether all elements are in a range.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// Whether all elements are in a range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
    /// Whether all elements are in a range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// Whether all elements are in a range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
    /// Whether any element is greater than a value.
    public static func > (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.greater, value: b)
    }
    /// Whether any element is greater than or equal to a value.
    public static func >= (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.greaterEqual, value: b)
    }
    /// Whether any element is less than a value.
    public static func < (a: Query<T>, b: T.Element) -> Query<Bool> { a.compared(.less, value: b) }
    /// Whether any element is less than or equal to a value.
    public static func <= (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.lessEqual, value: b)
    }
    /// The least element.
    public var min: Query<T.Element> { ending("@min") }
    /// The greatest element.
    public var max: Query<T.Element> { ending("@max") }
    /// The average of the elements.
    public var avg: Query<T.Element> { ending("@avg") }
    /// The sum of the elements.
    public var sum: Query<T.Element> { ending("@sum") }
    /// The sample standard deviation of the elements; null for fewer than two. An addition to the
    /// SDK.
    public var standardDeviation: Query<Double> { ending("@stddev") }
    /// The median of the elements: the one in the middle, or the mean of the two in the middle. An
    /// addition to the SDK.
    public var median: Query<Double> { ending("@median") }
}

// MARK: maps
extension Query where T: RealmKeyedCollection {
    /// The number of entries.
    public var count: Query<Int> { ending("@count") }
    /// Any value of the map.
    public var values: Query<T.Value> {
        Query<T.Value>(.path(path.appending(.function("@allValues"))))
    }
    /// The value for a key.
    public subscript(key: T.Key) -> Query<T.Value> {
        var path = path.appending(.key(key))
        path.isCollection = false
        return Query<T.Value>(.path(path))
    }
    /// Whether the map contains a value.
    public func contains(_ value: T.Value) -> Query<Bool> { holds(value) }
    /// Whether the map contains a value that is an element of a collection.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Value {
        compared(.in, value: Array(collection))
    }
    /// The map with its values as they are stored, for values of a custom type.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
        Query<Map<T.Key, T.Value.PersistedType>>(node)
    }
}
extension Query where T: RealmKeyedCollection, T.Key == String {
    /// Any key of the map.
    public var keys: Query<String> { Query<String>(.path(path.appending(.function("@allKeys")))) }
}
extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// Whether all values are in a range.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// Whether all values are in a range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
    /// Whether all values are in a range.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// Whether all values are in a range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
    /// The least value.
    public var min: Query<T.Value> { ending("@min") }
    /// The greatest value.
    public var max: Query<T.Value> { ending("@max") }
    /// The average of the values.
    public var avg: Query<T.Value> { ending("@avg") }
    /// The sum of the values.
    public var sum: Query<T.Value> { ending("@sum") }
    /// The sample standard deviation of the values; null for fewer than two. An addition to the
    /// SDK.
    public var standardDeviation: Query<Double> { ending("@stddev") }
    /// The median of the values: the one in the middle, or the mean of the two in the middle. An
    /// addition to the SDK.
    public var median: Query<Double> { ending("@median") }
}

// MARK: enums and custom types
extension Query where T: PersistableEnum, T.RawValue: _RealmSchemaDiscoverable {
    /// The raw value of the enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}
extension Query
where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _RealmSchemaDiscoverable
{
    /// The raw value of the enum.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}
extension Query
where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
    /// The collection with raw values as elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
        Query<AnyRealmCollection<T.Element.RawValue>>(node)
    }
}
extension Query
where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    /// The map with raw values as values.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
        Query<Map<T.Key, T.Value.RawValue>>(node)
    }
}
extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The collection with raw values as elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
        Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(node)
    }
}
extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The map with raw values as values.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
        Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(node)
    }
}
extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Whether the point that the embedded object represents is in a region.
    public func geoWithin<G: RLMGeospatial>(_ shape: G) -> Query<Bool> {
        compared(.in, value: shape)
    }
}
extension Query where T: _HasPersistedType {
    /// The property as it is stored, for a property of a custom type.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension QueryNode {
    /// The collection that all paths of the condition begin with; nil if there is none.
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
