import Foundation
import RealmEngine

// Conditions in `where` closures (API specification 2.15). Each operator creates a `QueryNode`.
// From the nodes, the condition for the engine and the predicate text in the format of the SDK are
// built.

/// A condition, or a path to a property, in a closure of `where(_:)`.
///
/// Member names are property names. Operators compare properties with values or with each other. A
/// property of the objects in a collection satisfies a comparison if it does so for any of the
/// objects.
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

    /// Creates the path to the queried object itself.
    init() { node = .path(NodePath()) }

    /// Creates a query as a `where` closure receives it. For tests.
    public static func _constructForTesting() -> Query<T> { Query() }

    /// Returns the condition as the text and the arguments of a predicate, in the format of the
    /// SDK. For tests.
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

    /// Returns a condition: the property is at least `low` and less than `high`.
    fileprivate func ranging(_ low: Any, below high: Any) -> Query<Bool> {
        compared(.greaterEqual, value: low) && compared(.less, value: high)
    }

    /// Returns a condition: every element of the collection is at least `low`, and less than (or
    /// equal to) `high` according to `relation`.
    fileprivate func elementsRange(_ low: Any, _ relation: QueryRelation, _ high: Any) -> Query<
        Bool
    > {
        let (least, greatest): (Query<Bool>, Query<Bool>) = (ending("@min"), ending("@max"))
        return least.compared(.greaterEqual, value: low) && greatest.compared(relation, value: high)
    }

    /// Returns the path with an aggregate function of the collection at its end, such as `@min`.
    fileprivate func ending<V>(_ function: String) -> Query<V> {
        var path = path.appending(.function(function))
        path.isCollection = false
        return Query<V>(.path(path))
    }

    /// Returns the path with an aggregate function of a property of the objects in a collection.
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

    /// A condition: the property equals a value.
    public static func == (a: Query, b: T) -> Query<Bool> { a.compared(.equal, value: b) }
    /// A condition: two properties are equal. Traps for two collections.
    public static func == (a: Query, b: Query) -> Query<Bool> { a.compared(.equal, b.node) }
    /// A condition: the property differs from a value.
    public static func != (a: Query, b: T) -> Query<Bool> { a.compared(.notEqual, value: b) }
    /// A condition: two properties differ. Traps for two collections.
    public static func != (a: Query, b: Query) -> Query<Bool> { a.compared(.notEqual, b.node) }
    /// A condition: the property equals an element of `collection`.
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
    /// A condition: both conditions hold.
    public static func && (a: Query, b: Query) -> Query<Bool> {
        Query(.joined(a.node, isAnd: true, b.node))
    }
    /// A condition: at least one of the two conditions holds.
    public static func || (a: Query, b: Query) -> Query<Bool> {
        Query(.joined(a.node, isAnd: false, b.node))
    }
    /// The number of elements of a collection for which the condition holds.
    ///
    /// Example: `($0.dogs.age > 10).count > 1`. Such a subquery counts elements that satisfy the
    /// whole condition in parentheses. Traps if no path of the condition begins with a collection.
    public var count: Query<Int> {
        guard let collection = node.collection else {
            throwRealmException("Subqueries must contain a keypath starting with a collection.")
        }
        return Query<Int>(.subqueryCount(collection, node))
    }
}
extension Query where T: OptionalProtocol {
    /// A property of the linked object; null if the link is null.
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
    /// A condition: the property is greater than a value.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, value: b) }
    /// A condition: the property is greater than another property.
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, b.node) }
    /// A condition: the property is greater than or equal to a value.
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterEqual, value: b) }
    /// A condition: the property is greater than or equal to another property.
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterEqual, b.node) }
    /// A condition: the property is less than a value.
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, value: b) }
    /// A condition: the property is less than another property.
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, b.node) }
    /// A condition: the property is less than or equal to a value.
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessEqual, value: b) }
    /// A condition: the property is less than or equal to another property.
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessEqual, b.node) }
    /// The least value of the property among the objects of a collection.
    public var min: Query { reduced("@min") }
    /// The greatest value of the property among the objects of a collection.
    public var max: Query { reduced("@max") }
    /// The average of the property among the objects of a collection.
    public var avg: Query { reduced("@avg") }
    /// The sum of the property over the objects of a collection.
    public var sum: Query { reduced("@sum") }
    /// The sample standard deviation of the property among the objects of a collection; null for
    /// fewer than two values. An addition to the SDK.
    public var standardDeviation: Query<Double> { reduced("@stddev") }
    /// The median of the property among the objects of a collection: the value in the middle, or
    /// the mean of the two values in the middle. An addition to the SDK.
    public var median: Query<Double> { reduced("@median") }
}
extension Query where T: Comparable {
    /// A condition: the property is in a range.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        ranging(range.lowerBound, below: range.upperBound)
    }
    /// A condition: the property is in a range.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound)
    }
}
extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// A condition: the property is in a range. False for null.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        ranging(range.lowerBound, below: range.upperBound)
    }
    /// A condition: the property is in a range. False for null.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound)
    }
}

// MARK: text and bytes
extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// A condition: the text matches a pattern. In the pattern, `*` matches any number of
    /// characters and `?` matches one character.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value: value, caseInsensitive ? .caseInsensitive : [])
    }
    /// A condition: the text matches the pattern in another property. In the pattern, `*` matches
    /// any number of characters and `?` matches one character.
    public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, column.node, caseInsensitive ? .caseInsensitive : [])
    }
}
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// A condition: the text or data contains a value.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value: value, options)
    }
    /// A condition: the text or data contains the value of another property.
    public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _Persistable, U.PersistedType: _QueryBinary {
        compared(.contains, column.node, options)
    }
    /// A condition: the text or data starts with a value.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value: value, options)
    }
    /// A condition: the text or data starts with the value of another property.
    public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, column.node, options)
    }
    /// A condition: the text or data ends with a value.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value: value, options)
    }
    /// A condition: the text or data ends with the value of another property.
    public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, column.node, options)
    }
    /// A condition: the text or data equals a value, compared with `options`.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value: value, options)
    }
    /// A condition: the text or data equals another property, compared with `options`.
    public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, column.node, options)
    }
    /// A condition: the text or data differs from a value, compared with `options`.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value: value, options)
    }
    /// A condition: the text or data differs from another property, compared with `options`.
    public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, column.node, options)
    }
    /// A condition: the text or data is greater than a value.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, value: b) }
    /// A condition: the text or data is greater than another property.
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, b.node) }
    /// A condition: the text or data is greater than or equal to a value.
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterEqual, value: b) }
    /// A condition: the text or data is greater than or equal to another property.
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterEqual, b.node) }
    /// A condition: the text or data is less than a value.
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, value: b) }
    /// A condition: the text or data is less than another property.
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, b.node) }
    /// A condition: the text or data is less than or equal to a value.
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessEqual, value: b) }
    /// A condition: the text or data is less than or equal to another property.
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessEqual, b.node) }
}

// MARK: mixed
extension Query where T == AnyRealmValue {
    /// The element at a position, if the `AnyRealmValue` is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        Query(.path(path.appending(.key(position))))
    }
    /// The value for a key, if the `AnyRealmValue` is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(.path(path.appending(.key(key))))
    }
    /// All elements of a list, or all values of a dictionary. A comparison holds if it holds for
    /// any of them.
    public var any: Query<AnyRealmValue> { Query(.path(path.appending(.any))) }
}

// MARK: lists, sets, backlinks
extension Query where T: RealmCollection {
    /// A property of the objects in the collection. A comparison holds if it holds for any object.
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V>
    where T.Element: ObjectBase {
        self.member(member, isCollection: nil)
    }
    /// The number of elements.
    public var count: Query<Int> { ending("@count") }
    /// A condition: the collection contains a value.
    public func contains(_ value: T.Element) -> Query<Bool> { holds(value) }
    /// A condition: this collection contains at least one element of `collection`.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Element {
        compared(.in, value: Array(collection))
    }
    /// A condition: at least one element equals a value.
    public static func == (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.equal, value: b)
    }
    /// A condition: at least one element differs from a value.
    public static func != (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.notEqual, value: b)
    }
    /// The collection with each element of the custom type in stored form.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
        Query<AnyRealmCollection<T.Element.PersistedType>>(node)
    }
}
extension Query where T: RealmCollection, T.Element: Comparable {
    /// A condition: all elements are in a range.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// A condition: all elements are in a range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
    /// A condition: all elements are in a range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// A condition: all elements are in a range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
    /// A condition: at least one element is greater than a value.
    public static func > (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.greater, value: b)
    }
    /// A condition: at least one element is greater than or equal to a value.
    public static func >= (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.greaterEqual, value: b)
    }
    /// A condition: at least one element is less than a value.
    public static func < (a: Query<T>, b: T.Element) -> Query<Bool> { a.compared(.less, value: b) }
    /// A condition: at least one element is less than or equal to a value.
    public static func <= (a: Query<T>, b: T.Element) -> Query<Bool> {
        a.compared(.lessEqual, value: b)
    }
    /// The least element of the collection.
    public var min: Query<T.Element> { ending("@min") }
    /// The greatest element of the collection.
    public var max: Query<T.Element> { ending("@max") }
    /// The average of the elements of the collection.
    public var avg: Query<T.Element> { ending("@avg") }
    /// The sum of the elements of the collection.
    public var sum: Query<T.Element> { ending("@sum") }
    /// The sample standard deviation of the elements; null for fewer than two elements. An addition
    /// to the SDK.
    public var standardDeviation: Query<Double> { ending("@stddev") }
    /// The median of the elements: the element in the middle, or the mean of the two elements in
    /// the middle. An addition to the SDK.
    public var median: Query<Double> { ending("@median") }
}

// MARK: maps
extension Query where T: RealmKeyedCollection {
    /// The number of entries.
    public var count: Query<Int> { ending("@count") }
    /// The values of the map. A comparison holds if it holds for any value.
    public var values: Query<T.Value> {
        Query<T.Value>(.path(path.appending(.function("@allValues"))))
    }
    /// The value for a key.
    public subscript(key: T.Key) -> Query<T.Value> {
        var path = path.appending(.key(key))
        path.isCollection = false
        return Query<T.Value>(.path(path))
    }
    /// A condition: the map contains a value.
    public func contains(_ value: T.Value) -> Query<Bool> { holds(value) }
    /// A condition: the map contains at least one value that is an element of `collection`.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Value {
        compared(.in, value: Array(collection))
    }
    /// The map with each value of the custom type in stored form.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
        Query<Map<T.Key, T.Value.PersistedType>>(node)
    }
}
extension Query where T: RealmKeyedCollection, T.Key == String {
    /// The keys of the map. A comparison holds if it holds for any key.
    public var keys: Query<String> { Query<String>(.path(path.appending(.function("@allKeys")))) }
}
extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// A condition: all values are in a range.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// A condition: all values are in a range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
    /// A condition: all values are in a range.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .less, range.upperBound)
    }
    /// A condition: all values are in a range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        elementsRange(range.lowerBound, .lessEqual, range.upperBound)
    }
}
extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
    /// The least value of the map.
    public var min: Query<T.Value> { ending("@min") }
    /// The greatest value of the map.
    public var max: Query<T.Value> { ending("@max") }
    /// The average of the values of the map.
    public var avg: Query<T.Value> { ending("@avg") }
    /// The sum of the values of the map.
    public var sum: Query<T.Value> { ending("@sum") }
    /// The sample standard deviation of the values; null for fewer than two values. An addition to
    /// the SDK.
    public var standardDeviation: Query<Double> { ending("@stddev") }
    /// The median of the values: the value in the middle, or the mean of the two values in the
    /// middle. An addition to the SDK.
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
    /// The collection, with the raw values of its elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
        Query<AnyRealmCollection<T.Element.RawValue>>(node)
    }
}
extension Query
where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    /// The map with each enum value replaced by its raw value.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
        Query<Map<T.Key, T.Value.RawValue>>(node)
    }
}
extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The collection, with the raw values of its elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
        Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(node)
    }
}
extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The map with each enum value replaced by its raw value.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
        Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(node)
    }
}
extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// A condition: the point that an embedded object represents is in a region.
    public func geoWithin<G: RLMGeospatial>(_ shape: G) -> Query<Bool> {
        compared(.in, value: shape)
    }
}
extension Query where T: _HasPersistedType {
    /// The property of a custom type, in stored form.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension QueryNode {
    /// The first collection on a path of the condition, such as `dogs` in `dogs.age`; nil if no
    /// path passes through a collection.
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
