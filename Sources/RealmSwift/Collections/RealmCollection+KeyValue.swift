import Foundation
import RealmEngine

/// Key-value access to all elements at once (API specification 2.6).
extension RealmCollection {
    /// A property of every object, or `self`; with `@` in front what the elements are reduced to.
    public func value(forKey key: String) -> Any? {
        if key.hasPrefix("@") { return value(forKeyPath: key) }
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return KeyValues.each(of: Array(self), key)
    }

    /// Along a path, which may begin with the operator of an aggregate function, such as `@avg`, or one of
    /// the unions.
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
        return figure(function, path).flatMap { $0.any } ?? KeyValues.ofNothing(function)
    }

    /// Sets a property of every object, in a write transaction.
    public func setValue(_ value: Any?, forKey key: String) {
        for case let object as ObjectBase in Array(self) { object.setValue(value, forKey: key) }
    }
}

extension MutableSet {
    /// Without what comes twice.
    public func value(forKey key: String) -> Any? {
        if key.hasPrefix("@") { return value(forKeyPath: key) }
        let values = KeyValues.each(of: Array(self), key)
        let unique = values.compactMap { (unwrapped($0) ?? NSNull()) as? AnyHashable }
        return unique.count == values.count ? Set(unique) : values
    }

    public func value(forKey key: String) -> [AnyObject] {
        KeyValues.objects(KeyValues.unique(KeyValues.each(of: Array(self), key)))
    }

    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        KeyValues.objects(value(forKeyPath: keyPath) as Any? as? [Any] ?? [])
    }
}

extension List {
    public func value(forKey key: String) -> [AnyObject] {
        KeyValues.objects(value(forKey: key) as Any? as? [Any] ?? [])
    }

    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        KeyValues.objects(value(forKeyPath: keyPath) as Any? as? [Any] ?? [])
    }
}

/// What key-value access makes of elements.
enum KeyValues {
    /// The first step of a path, and the rest.
    static func split(_ keyPath: String) -> (String, String) {
        guard let dot = keyPath.firstIndex(of: ".") else { return (keyPath, "self") }
        return (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
    }

    /// What stands for null where anything may be: it can be cast to every optional.
    private static var nothing: Any { Optional<Any>.none as Any }

    /// An aggregate of nothing: zero for sums, else nil.
    static func ofNothing(_ function: AggregateFunction) -> Any? {
        if case .int(let number) = function.ofNothing { Int(number) } else { nil }
    }

    /// A property of every element.
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

    /// Elements of several arrays, or each element once.
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

    /// As objects of Foundation; `NSNull` for null.
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
