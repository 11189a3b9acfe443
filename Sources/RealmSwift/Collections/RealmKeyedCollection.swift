import Dispatch
import Foundation
import RealmEngine

/// A collection of values by key (API specification 2.7), which `Map` implements.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
    /// Type of the keys.
    associatedtype Key: _MapKey
    /// Type of the values.
    associatedtype Value: RealmCollectionValue
    /// The realm of the collection; nil for an unmanaged collection.
    var realm: Realm? { get }
    /// Whether the owner of the collection was deleted or its realm was invalidated.
    var isInvalidated: Bool { get }
    /// The number of entries.
    var count: Int { get }
    /// The keys, in no particular order.
    var keys: [Key] { get }
    /// The values, in the order of `keys`.
    var values: [Value] { get }
    /// Sets the value for a key. Traps for a managed collection outside of a write transaction.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes the entry for a key, if there is one. Traps for a managed collection outside of a
    /// write transaction.
    func removeObject(for key: Key)
    /// Removes all entries. Traps for a managed collection outside of a write transaction.
    func removeAll()
    /// The value for a key; nil if there is none. Setting nil removes the entry.
    subscript(key: Key) -> Value? { get set }
    /// Returns the value for a key, nil if there is none; for a name that begins with `@` an
    /// aggregate of the values.
    func value(forKey key: String) -> AnyObject?
    /// Returns the value at the end of a key path that begins with a key or an operator.
    func value(forKeyPath keyPath: String) -> AnyObject?
    /// Sets the value for a key; nil removes it. Traps if the value does not fit.
    func setValue(_ value: Any?, forKey key: String)
    /// Returns the values that match a predicate. Traps for an unmanaged collection.
    func filter(_ predicate: NSPredicate) -> Results<Value>
    /// Whether an entry satisfies `predicate`.
    func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool
    /// Returns the values in ascending or descending order. Traps for an unmanaged collection.
    func sorted(ascending: Bool) -> Results<Value>
    /// Returns the values sorted by a property, or by `self`. Traps for an unmanaged collection.
    func sorted(byKeyPath keyPath: String, ascending: Bool) -> Results<Value>
    /// Returns the values sorted by several properties, the first one first. Traps for an unmanaged
    /// collection.
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor
    /// Returns the least value of a property, nil without values. Nulls are skipped.
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the greatest value of a property, nil without values. Nulls are skipped.
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the sum of a property, 0 without values. Nulls are skipped.
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    /// Returns the average of a property, nil without values. Nulls are skipped.
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType
    /// Calls `block` with the collection as it is, and again after each change of it.
    ///
    /// Traps for an unmanaged or frozen collection, and on a plain thread without a queue.
    ///
    /// - Parameter keyPaths: properties of the values whose modifications are reported; nil for
    ///   all.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the context of the
    ///   realm.
    /// - Returns: a token; the observation ends when it is released.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken
    /// Whether the collection belongs to a frozen realm. May be read on any thread.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which may be read on any thread. Traps for an unmanaged collection.
    func freeze() -> Self
    /// Returns the live collection of a frozen one, in the context of the caller; nil
    /// if its owner has been deleted. Traps for an unmanaged collection.
    func thaw() -> Self?
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Returns the least value of a property of the objects, nil without values. Nulls are skipped.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { min(ofProperty: _name(for: keyPath)) }
    /// Returns the greatest value of a property of the objects, nil without values. Nulls are
    /// skipped.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { max(ofProperty: _name(for: keyPath)) }
    /// Returns the sum of a property of the objects, 0 without values. Nulls are skipped.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType { sum(ofProperty: _name(for: keyPath)) }
    /// Returns the average of a property of the objects, nil without values. Nulls are skipped.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType { average(ofProperty: _name(for: keyPath)) }
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase, Value.Wrapped: RealmCollectionValue {
    /// Returns the objects sorted by a property. Traps for an unmanaged collection.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool
    ) -> Results<Value> where T.PersistedType: SortableType {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }
}

extension RealmKeyedCollection where Value.PersistedType: MinMaxType {
    /// Returns the least value, nil without values. Nulls are skipped.
    public func min() -> Value? { min(ofProperty: "self") }
    /// Returns the greatest value, nil without values. Nulls are skipped.
    public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
    /// Returns the sum of the values, 0 without values. Nulls are skipped.
    public func sum() -> Value { sum(ofProperty: "self") }
    /// Returns the average of the values, nil without values. Nulls are skipped.
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

    /// Returns the median of the values, nil without values.
    public func median<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        median(ofProperty: "self")
    }
}

extension RealmKeyedCollection where Value.PersistedType: SortableType {
    /// Returns the values in ascending or descending order. Traps for an unmanaged collection.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: "self", ascending: ascending)
    }
}
