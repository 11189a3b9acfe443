import Foundation

/// Evaluates predicates on unmanaged objects and values. Copies them into a realm in memory and
/// runs the query there.
enum LocalSearch {
    static func index<Element: RealmCollectionValue>(
        of predicate: NSPredicate, in elements: [Element]
    ) -> Int? {
        elements.firstIndex { element in
            if let object = unwrapped(element) as? Object { return holds(predicate, for: object) }
            let value = LocalValue()
            value.value = plain(element).flatMap { AnyRealmValue(of: $0) } ?? .none
            return holds(predicate, for: value)
        }
    }

    private static func holds(_ predicate: NSPredicate, for object: Object) -> Bool {
        let name = UUID().uuidString
        let classes = reachable(from: type(of: object))
        let configuration = Realm.Configuration(inMemoryIdentifier: name, objectTypes: classes)
        guard let realm = try? Realm(configuration: configuration) else { return false }
        realm.beginWrite()
        defer { realm.cancelWrite() }
        var copies = Copies()
        guard let copy = copies.copy(object) as? Object else { return false }
        realm.add(copy)
        return realm.objects(type(of: copy)).index(matching: predicate, of: copy)
    }

    /// Copies objects together with all objects that they reference.
    private struct Copies {
        private var made: [ObjectIdentifier: ObjectBase] = [:]

        mutating func copy(_ object: ObjectBase) -> ObjectBase {
            if let known = made[ObjectIdentifier(object)] { return known }
            let fresh = type(of: object).init()
            made[ObjectIdentifier(object)] = fresh
            for field in ClassModel.of(type(of: object)).fields where !field.isLinkingObjects {
                fresh.setValue(copy(any: object.value(forKey: field.name)), forKey: field.name)
            }
            return fresh
        }

        private mutating func copy(any value: Any?) -> Any? {
            switch value {
            case let object as ObjectBase: return copy(object)
            case let map as any RealmKeyedCollection: return copy(map: map)
            case let list as any RealmCollectionBase: return copy(list: list)
            default: return value
            }
        }

        private mutating func copy<C: RealmCollectionBase>(list: C) -> [Any] {
            var copies: [Any] = []
            for element in list { copies.append(copy(any: unwrapped(element)) ?? NSNull()) }
            return copies
        }

        private mutating func copy<M: RealmKeyedCollection>(map: M) -> [String: Any] {
            var copies: [String: Any] = [:]
            for (key, value) in zip(map.keys, map.values) {
                copies["\(key)"] = copy(any: unwrapped(value)) ?? NSNull()
            }
            return copies
        }
    }

    /// Returns a class and all classes that its properties reference.
    private static func reachable(from type: ObjectBase.Type) -> [ObjectBase.Type] {
        var found: [ObjectIdentifier: ObjectBase.Type] = [:]
        var rest = [type]
        while let next = rest.popLast() {
            guard found.updateValue(next, forKey: ObjectIdentifier(next)) == nil else { continue }
            rest += ClassModel.of(next).fields.compactMap(\.shape.target)
        }
        return Array(found.values)
    }
}

extension Results {
    fileprivate func index(matching predicate: NSPredicate, of object: Element) -> Bool {
        filter(predicate).index(of: object) != nil
    }
}

/// Wraps a value that is not an object, so that a predicate can refer to the value as `SELF`.
final class LocalValue: Object {
    @Persisted var value: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
