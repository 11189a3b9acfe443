import Dispatch
import Foundation
import RealmEngine

/// Values under keys, as a realm has them (API specification 2.7).
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var count: Int { get }
    var keys: [Key] { get }
    var values: [Value] { get }
    func updateValue(_ value: Value, forKey key: Key)
    func removeObject(for key: Key)
    func removeAll()
    subscript(key: Key) -> Value? { get set }
    func value(forKey key: String) -> AnyObject?
    func value(forKeyPath keyPath: String) -> AnyObject?
    func setValue(_ value: Any?, forKey key: String)
    func filter(_ predicate: NSPredicate) -> Results<Value>
    func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool
    func sorted(ascending: Bool) -> Results<Value>
    func sorted(byKeyPath keyPath: String, ascending: Bool) -> Results<Value>
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { min(ofProperty: _name(for: keyPath)) }
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { max(ofProperty: _name(for: keyPath)) }
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType { sum(ofProperty: _name(for: keyPath)) }
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType { average(ofProperty: _name(for: keyPath)) }
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase, Value.Wrapped: RealmCollectionValue {
    /// By the property a key path leads to.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool
    ) -> Results<Value> where T.PersistedType: SortableType {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }
}

extension RealmKeyedCollection where Value.PersistedType: MinMaxType {
    public func min() -> Value? { min(ofProperty: "self") }
    public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
    public func sum() -> Value { sum(ofProperty: "self") }
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }
}

extension Map where Value.PersistedType: AddableType {
    /// Returns the sample standard deviation of the values, nil for fewer than two.
    public func standardDeviation<T: _HasPersistedType>() -> T?
    where T.PersistedType: AddableType {
        standardDeviation(ofProperty: "self")
    }

    /// Returns the median of the values, nil without any.
    public func median<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        median(ofProperty: "self")
    }
}

extension RealmKeyedCollection where Value.PersistedType: SortableType {
    public func sorted(ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: "self", ascending: ascending)
    }
}
