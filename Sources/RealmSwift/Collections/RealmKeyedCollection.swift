import Dispatch
import Foundation
import RealmEngine

/// A collection with keys and values (API specification 2.7). `Map` is the only one.
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
    /// Returns the value for a key; nil if there is none. For a name that begins with `@`, such as
    /// `@count`, returns an aggregate of the values.
    func value(forKey key: String) -> AnyObject?
    /// Returns the value at the end of a key path. The path begins with a key or with an operator
    /// such as `@sum`.
    func value(forKeyPath keyPath: String) -> AnyObject?
    /// Sets the value for a key; nil removes the entry. Traps if the type of the value does not
    /// fit, and for a managed collection outside of a write transaction.
    func setValue(_ value: Any?, forKey key: String)
    /// Returns the values that match a predicate. Traps for an unmanaged collection.
    func filter(_ predicate: NSPredicate) -> Results<Value>
    /// Whether `predicate` returns true for an entry.
    func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool
    /// Returns the values in ascending or descending order. Traps for an unmanaged collection.
    func sorted(ascending: Bool) -> Results<Value>
    /// Returns the values sorted by a property, or by `self`. Traps for an unmanaged collection.
    func sorted(byKeyPath keyPath: String, ascending: Bool) -> Results<Value>
    /// Returns the values sorted by several properties; the first descriptor takes precedence.
    /// Traps for an unmanaged collection.
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor
    /// Returns the least value of a property, nil if there are no values. Nulls are skipped.
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the greatest value of a property, nil if there are no values. Nulls are skipped.
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the sum of a property, 0 if there are no values. Nulls are skipped.
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    /// Returns the average of a property, nil if there are no values. Nulls are skipped.
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType
    /// Calls `block` first with the initial collection, and then after each change.
    ///
    /// Traps for an unmanaged or frozen collection, and if `queue` is nil and the realm belongs to
    /// a plain thread (no queue or actor).
    ///
    /// - Parameter keyPaths: properties of the values whose modifications are reported; nil for
    ///   all.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken
    /// Whether the collection belongs to a frozen realm. May be read on any thread.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which may be read on any thread. Traps for an unmanaged collection.
    func freeze() -> Self
    /// Returns the live version of this frozen collection, for the caller's thread, queue or actor;
    /// nil if the owner was deleted. A live collection returns itself. Traps for an unmanaged
    /// collection.
    func thaw() -> Self?
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Returns the least value of a property of the objects, nil if there are no values. Nulls are
    /// skipped.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { min(ofProperty: _name(for: keyPath)) }
    /// Returns the greatest value of a property of the objects, nil if there are no values. Nulls
    /// are skipped.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { max(ofProperty: _name(for: keyPath)) }
    /// Returns the sum of a property of the objects, 0 if there are no values. Nulls are skipped.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType { sum(ofProperty: _name(for: keyPath)) }
    /// Returns the average of a property of the objects, nil if there are no values. Nulls are
    /// skipped.
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
    /// Returns the least value, nil if there are no values. Nulls are skipped.
    public func min() -> Value? { min(ofProperty: "self") }
    /// Returns the greatest value, nil if there are no values. Nulls are skipped.
    public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
    /// Returns the sum of the values, 0 if there are no values. Nulls are skipped.
    public func sum() -> Value { sum(ofProperty: "self") }
    /// Returns the average of the values, nil if there are no values. Nulls are skipped.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }
}

extension Map where Value.PersistedType: AddableType {
    /// Returns the sample standard deviation of the values; nil for fewer than two values.
    public func standardDeviation<T: _HasPersistedType>() -> T?
    where T.PersistedType: AddableType {
        standardDeviation(ofProperty: "self")
    }

    /// Returns the median of the values, nil if there are no values.
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
