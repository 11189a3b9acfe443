import Foundation
import RealmEngine

/// Follows a key path such as `owner.dogs.name` through links and collections, by the rules of
/// key-value coding.
///
/// At a collection, the result is an array with a value for each element. At a null link, the
/// result is nil.
struct KeyPathWalk {
    /// The whole key path, for messages.
    private let keyPath: String

    init(_ keyPath: String) { self.keyPath = keyPath }

    /// Splits a key path into its first name and the rest; the rest is nil for a path of one name.
    private static func firstStep(_ path: Substring) -> (key: String, rest: Substring?) {
        guard let dot = path.firstIndex(of: ".") else { return (String(path), nil) }
        return (String(path[..<dot]), path[path.index(after: dot)...])
    }

    // MARK: Reading

    /// Returns the value at the end of the path from `owner`. Traps if a name is not a property.
    func value(of owner: Any) -> Any? { value(of: owner, at: keyPath[...]) }

    private func value(of owner: Any, at path: Substring) -> Any? {
        if path.first == "@" { return aggregate(owner, String(path)) }
        let (key, rest) = Self.firstStep(path)
        let found = value(of: owner, for: key)
        guard let rest else { return found }
        guard let next = Self.present(found) else { return nil }
        return value(of: next, at: rest)
    }

    private func value(of owner: Any, for key: String) -> Any? {
        switch owner {
        case let object as ObjectBase: return named { object.value(forKey: key) }
        case let elements as any RealmCollection: return named { elements.value(forKey: key) }
        case let entries as any RealmKeyedCollection: return named { entries.value(forKey: key) }
        default:
            guard let elements = Self.elements(of: owner) else { cannotFollow(owner, key) }
            return elements.map { element in
                Self.present(element).flatMap { value(of: $0, for: key) } ?? Self.nothing
            }
        }
    }

    /// Applies the collection operator at the beginning of `path`, such as `@max`, to `owner`.
    private func aggregate(_ owner: Any, _ path: String) -> Any? {
        switch owner {
        case let elements as any RealmCollection:
            return named { elements.value(forKeyPath: path) }
        case let entries as any RealmKeyedCollection:
            return named { entries.value(forKeyPath: path) }
        default: break
        }
        guard let elements = Self.elements(of: owner) else { cannotFollow(owner, path) }
        let (name, operand) = KeyValues.split(path)
        let function = AggregateFunction.named(operator: name)
        if function == .count { return elements.count }
        let values =
            operand == "self"
            ? elements
            : elements.map { element -> Any in
                Self.present(element).flatMap { value(of: $0, at: operand[...]) } ?? Self.nothing
            }
        guard function != nil else {
            return named { KeyValues.union(name, values) }
        }
        let numbers = List<AnyRealmValue>()
        for value in values.compactMap({ Self.present($0) }) {
            guard let number = AnyRealmValue(of: value) else { cannotFollow(value, name) }
            numbers.append(number)
        }
        return named { numbers.value(forKeyPath: "\(name).self") as Any? }
    }

    // MARK: Writing

    /// Sets the property at the end of the path for every object that the path reaches. If a link
    /// before that property is null, nothing changes.
    func setValue(_ value: Any?, of owner: ObjectBase) {
        let dot = keyPath.lastIndex(of: ".")!
        let last = String(keyPath[keyPath.index(after: dot)...])
        setValue(value, for: last, of: self.value(of: owner, at: keyPath[..<dot]))
    }

    private func setValue(_ value: Any?, for key: String, of owner: Any?) {
        guard let owner = Self.present(owner) else { return }
        switch owner {
        case let object as ObjectBase: named { object.setValue(value, forKey: key) }
        case let elements as any RealmCollection: named { elements.setValue(value, forKey: key) }
        case let entries as any RealmKeyedCollection: named { entries.setValue(value, forKey: key) }
        default:
            guard let elements = Self.elements(of: owner) else { cannotFollow(owner, key) }
            for element in elements { setValue(value, for: key, of: element) }
        }
    }

    // MARK: Steps

    /// Null as an element of an array of `Any`.
    private static var nothing: Any { Optional<Any>.none as Any }

    /// Unwraps nested optionals. Returns nil for `nil`, `NSNull` and `AnyRealmValue.none`.
    private static func present(_ value: Any?) -> Any? {
        guard let value = value.flatMap({ RealmSwift.plain($0) }), !(value is NSNull) else {
            return nil
        }
        return value
    }

    private static func elements(of value: Any) -> [Any]? {
        if let array = value as? [Any] { return array }
        return (value as? Set<AnyHashable>).map { $0.map(\.base) }
    }

    // MARK: Messages

    /// Runs `step`, which follows a part of the key path. If `step` traps, the message can name the
    /// key path (`messageSuffix`).
    private func named<R>(_ step: () -> R) -> R {
        let record = ThreadRecord.current
        let outer = record.keyPath
        record.keyPath = outer ?? keyPath
        defer { record.keyPath = outer }
        return step()
    }

    /// End of an error message. It names the key path that key-value access follows on this thread,
    /// and is empty if there is none.
    static var messageSuffix: String {
        ThreadRecord.current.keyPath.map { " (in key path '\($0)')" } ?? ""
    }

    private func cannotFollow(_ owner: Any, _ step: String) -> Never {
        throwRealmException(
            "Key path '\(keyPath)' cannot be followed: '\(step)' is not a property of "
                + "'\(type(of: owner))'.")
    }
}
