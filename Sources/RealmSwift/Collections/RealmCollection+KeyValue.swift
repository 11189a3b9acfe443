import Foundation
import RealmEngine

/// Key-value access to the properties of all elements (API specification 2.6).
extension RealmCollection {
    /// Returns an array with the value of a property for each element. The key `self` returns the
    /// elements. A key that begins with `@` returns an aggregate.
    ///
    /// Traps for an unknown property.
    public func value(forKey key: String) -> Any? {
        if key.hasPrefix("@") { return value(forKeyPath: key) }
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return KeyValues.each(of: Array(self), key)
    }

    /// Returns an array with the value at the end of a key path for each element.
    ///
    /// A path that begins with an operator returns an aggregate (`@count`, `@min`, `@max`, `@sum`,
    /// `@avg`) or a union such as `@distinctUnionOfObjects`. Traps for an unknown property or
    /// operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        guard keyPath.hasPrefix("@") else {
            if keyPath.contains(".") { return KeyPathWalk(keyPath).value(of: self) }
            return KeyValues.each(of: Array(self), keyPath)
        }
        let (name, path) = KeyValues.split(keyPath)
        guard let function = AggregateFunction.named(operator: name) else {
            return KeyValues.union(name, KeyValues.each(of: Array(self), path))
        }
        if function == .count { return count }
        return aggregateValue(function, path).flatMap { $0.any } ?? KeyValues.ofNothing(function)
    }

    /// Sets a property of each object. Traps outside of a write transaction, for an unknown
    /// property, and for a value of the wrong type.
    public func setValue(_ value: Any?, forKey key: String) {
        for case let object as ObjectBase in Array(self) { object.setValue(value, forKey: key) }
    }
}

extension MutableSet {
    /// Returns the set of the distinct values of a property. Traps for an unknown property.
    public func value(forKey key: String) -> Any? {
        if key.hasPrefix("@") { return value(forKeyPath: key) }
        let values = KeyValues.each(of: Array(self), key)
        let unique = values.compactMap { (unwrapped($0) ?? NSNull()) as? AnyHashable }
        return unique.count == values.count ? Set(unique) : values
    }

    /// Returns the distinct values of a property as Foundation objects. Null is `NSNull`. Traps for
    /// an unknown property.
    public func value(forKey key: String) -> [AnyObject] {
        KeyValues.objects(KeyValues.unique(KeyValues.each(of: Array(self), key)))
    }

    /// Returns the values at the end of a key path as Foundation objects. Null is `NSNull`. Traps
    /// for an unknown property.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        KeyValues.objects(value(forKeyPath: keyPath) as Any? as? [Any] ?? [])
    }
}

extension List {
    /// Returns the value of a property for each element, as Foundation objects. Null is `NSNull`.
    /// Traps for an unknown property.
    public func value(forKey key: String) -> [AnyObject] {
        KeyValues.objects(value(forKey: key) as Any? as? [Any] ?? [])
    }

    /// Returns the values at the end of a key path as Foundation objects. Null is `NSNull`. Traps
    /// for an unknown property.
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        KeyValues.objects(value(forKeyPath: keyPath) as Any? as? [Any] ?? [])
    }
}

/// Key-value access (`value(forKey:)`) to the elements of arrays.
enum KeyValues {
    /// Splits a key path into its first name and the rest. The rest is `self` for a path of one
    /// name.
    static func split(_ keyPath: String) -> (String, String) {
        guard let dot = keyPath.firstIndex(of: ".") else { return (keyPath, "self") }
        return (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
    }

    /// Null as an `Any`, which can be cast to every optional type.
    private static var nothing: Any { Optional<Any>.none as Any }

    /// Returns the aggregate of an empty collection: zero for sums, otherwise nil.
    static func ofNothing(_ function: AggregateFunction) -> Any? {
        if case .int(let number) = function.ofNothing { Int(number) } else { nil }
    }

    /// Returns the value at the end of a key path for each element.
    static func each<Element>(of elements: [Element], _ keyPath: String) -> [Any] {
        elements.map { element in
            let plain = RealmSwift.plain(element)
            if keyPath == "self" { return plain ?? nothing }
            guard let object = plain as? ObjectBase else {
                throwRealmException(
                    "Property '\(keyPath)' not found in '\(Element.self)'"
                        + KeyPathWalk.messageSuffix)
            }
            return object.value(forKeyPath: keyPath) ?? nothing
        }
    }

    /// Applies the union operator `name`. `@unionOfObjects` returns `values` without nulls.
    /// `@unionOfArrays` and `@unionOfSets` return the elements of the arrays or sets in `values`.
    /// With `distinct` in the name, equal values are returned once. Traps for any other name.
    static func union(_ name: String, _ values: [Any]) -> [Any] {
        func members(_ values: [Any]) -> [Any] {
            values.flatMap { value in (value as? any Sequence).map { all($0) } ?? [value] }
        }
        func all<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { unwrapped($0) ?? nothing } }
        switch name {
        case "@unionOfObjects": return values.compactMap { unwrapped($0) }
        case "@distinctUnionOfObjects": return unique(values.compactMap { unwrapped($0) })
        case "@unionOfArrays", "@unionOfSets": return members(values)
        case "@distinctUnionOfArrays", "@distinctUnionOfSets": return unique(members(values))
        default:
            throwRealmException(
                "Unsupported KVC collection operator found in key path '\(name)'"
                    + KeyPathWalk.messageSuffix)
        }
    }

    /// Converts values to Foundation objects. Null becomes `NSNull`.
    static func objects(_ values: [Any]) -> [AnyObject] {
        values.map { (unwrapped($0) ?? NSNull()) as AnyObject }
    }

    static func unique(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in
            ((unwrapped(value) ?? NSNull()) as? AnyHashable).map { seen.insert($0).inserted }
                ?? true
        }
    }
}
