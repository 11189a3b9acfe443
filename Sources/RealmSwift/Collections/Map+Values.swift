import Foundation
import RealmEngine

/// The values of a map: filtered, in order, and reduced to one.
extension Map {
    private var results: Results<Value> { Results(managed, Value.self, "RLMDictionary") }

    public func filter(_ predicate: NSPredicate) -> Results<Value> {
        results.filter(predicate)
    }

    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        results.filter(format: predicateFormat, args)
    }

    /// Those that the closure's condition holds for.
    public func `where`(_ isIncluded: ((Query<Value>) -> Query<Bool>)) -> Results<Value> {
        results.where(isIncluded)
    }

    public func sorted(ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: "self", ascending: ascending)
    }

    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor { results.sorted(by: sortDescriptors) }

    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value>
    where S.Iterator.Element == String { results.distinct(by: keyPaths) }

    // MARK: Figures

    private func figure(_ function: AggregateFunction, _ property: String) -> _Stored? {
        if managed == nil {
            return LocalAggregate.value(values, function, property, inDictionary: true)
        }
        if count == 0 { return nil }
        return results.aggregate(function, property)
    }

    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType { figure(.min, property)?.figure() }
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType { figure(.max, property)?.figure() }
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType { (figure(.sum, property) ?? .zero).figure() }
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType { figure(.average, property)?.figure() }

    /// Returns the sample standard deviation of a property, nil for fewer than two values.
    public func standardDeviation<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType { figure(.standardDeviation, property)?.figure() }

    /// Returns the median of a property, nil without values.
    public func median<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType { figure(.median, property)?.figure() }

    // MARK: Key-value access

    /// The value under a key; with `@` in front what the values are reduced to.
    public func value(forKey key: String) -> AnyObject? {
        if key.hasPrefix("@") { return value(forKeyPath: key) }
        if key == "invalidated" || key == "isInvalidated" { return isInvalidated as AnyObject }
        return object(forKey: key as AnyObject)
    }

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
                    ? count : figure(function, path)?.any ?? KeyValues.ofNothing(function)
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

    /// Puts a value under a key; nil takes it away.
    public func setValue(_ value: Any?, forKey key: String) {
        guard let key = key as? Key else { return }
        guard let value, !(value is NSNull) else { return removeObject(for: key) }
        guard let fit = Converted<Value>.of(value) else {
            throwRealmException("Invalid value '\(value)' of type '\(type(of: value))' for a map")
        }
        updateValue(fit, forKey: key)
    }

    public func object(forKey key: AnyObject) -> AnyObject? {
        guard let key = key as? Key, let value = self[key] else { return nil }
        return (plain(value) ?? NSNull()) as AnyObject
    }
}
