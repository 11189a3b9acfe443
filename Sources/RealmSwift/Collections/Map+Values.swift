import Foundation
import RealmEngine

/// Filters, sorts and aggregates the values of a map.
extension Map {
    private var results: Results<Value> { Results(managed, Value.self, "RLMDictionary") }

    /// Returns the values that match a predicate. Traps for an unmanaged map, if the values are not
    /// objects, and for a predicate that cannot be evaluated.
    public func filter(_ predicate: NSPredicate) -> Results<Value> {
        results.filter(predicate)
    }

    /// Returns the values that match a predicate in text form, with arguments for `%@`. Traps under
    /// the same conditions as `filter(_:)`.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        results.filter(format: predicateFormat, args)
    }

    /// Returns the values that match the condition of a closure. Traps for an unmanaged map, and if
    /// the values are not objects.
    public func `where`(_ isIncluded: ((Query<Value>) -> Query<Bool>)) -> Results<Value> {
        results.where(isIncluded)
    }

    /// Returns the values in ascending or descending order. Traps for an unmanaged map.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: "self", ascending: ascending)
    }

    /// Returns the values sorted by a property, or by `self`. Traps for an unmanaged map, and for a
    /// property that cannot be sorted by.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Returns the values sorted by several properties; the first descriptor takes precedence.
    /// Traps for an unmanaged map, and for a property that cannot be sorted by.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor { results.sorted(by: sortDescriptors) }

    /// Returns the first value for each combination of values of the given properties. Traps for an
    /// unmanaged map.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value>
    where S.Iterator.Element == String { results.distinct(by: keyPaths) }

    // MARK: Aggregates

    private func aggregateValue(_ function: AggregateFunction, _ property: String) -> _Stored? {
        if managed == nil {
            return LocalAggregate.value(values, function, property, inDictionary: true)
        }
        if count == 0 { return nil }
        return results.aggregate(function, property)
    }

    /// Returns the least value of a property, nil if there are no values. Nulls are skipped. Traps
    /// for an unknown property.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType { aggregateValue(.min, property)?.aggregateValue() }
    /// Returns the greatest value of a property, nil if there are no values. Nulls are skipped.
    /// Traps for an unknown property.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType { aggregateValue(.max, property)?.aggregateValue() }
    /// Returns the sum of a property, 0 if there are no values. Nulls are skipped. Traps for an
    /// unknown property.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType {
        (aggregateValue(.sum, property) ?? .zero).aggregateValue()
    }
    /// Returns the average of a property, nil if there are no values. Nulls are skipped. Traps for
    /// an unknown property.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType { aggregateValue(.average, property)?.aggregateValue() }

    /// Returns the sample standard deviation of a property, nil for fewer than two values.
    public func standardDeviation<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        aggregateValue(.standardDeviation, property)?.aggregateValue()
    }

    /// Returns the median of a property, nil if there are no values.
    public func median<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType { aggregateValue(.median, property)?.aggregateValue() }

    // MARK: Key-value access

    /// Returns the value for a key; nil if there is none. For a name that begins with `@`, such as
    /// `@count`, returns an aggregate of the values.
    public func value(forKey key: String) -> AnyObject? {
        if key.hasPrefix("@") { return value(forKeyPath: key) }
        if key == "invalidated" || key == "isInvalidated" { return isInvalidated as AnyObject }
        return object(forKey: key as AnyObject)
    }

    /// Returns the value at the end of a key path. The path begins with a key or with an operator
    /// such as `@sum`. `@allKeys` and `@allValues` return arrays.
    public func value(forKeyPath keyPath: String) -> AnyObject? {
        let (name, path) = KeyValues.split(keyPath)
        let value: Any?
        switch name {
        case "@allKeys": value = keys
        case "@allValues": value = KeyValues.each(of: values, path)
        case _ where name.hasPrefix("@"):
            if let function = AggregateFunction.named(operator: name) {
                value =
                    function == .count
                    ? count : aggregateValue(function, path)?.any ?? KeyValues.ofNothing(function)
                break
            }
            value = KeyValues.union(name, KeyValues.each(of: values, path))
        default:
            value =
                path == "self"
                ? object(forKey: name as AnyObject) : KeyPathWalk(keyPath).value(of: self)
        }
        return value.map { $0 as AnyObject }
    }

    /// Sets the value for a key; nil removes the entry. Traps if the type of the value does not
    /// fit, and for a managed map outside of a write transaction.
    public func setValue(_ value: Any?, forKey key: String) {
        guard let key = key as? Key else { return }
        guard let value, !(value is NSNull) else { return removeObject(for: key) }
        guard let fit = Converted<Value>.of(value) else {
            throwRealmException("Invalid value '\(value)' of type '\(type(of: value))' for a map")
        }
        updateValue(fit, forKey: key)
    }

    /// Returns the value for a key; nil if there is no such key. A null value is returned as
    /// `NSNull`.
    public func object(forKey key: AnyObject) -> AnyObject? {
        guard let key = key as? Key, let value = self[key] else { return nil }
        return (plain(value) ?? NSNull()) as AnyObject
    }
}
