import Foundation

extension ThreadConfined where Self: ObjectBase {
    /// Returns an unmanaged copy of the object with copies of the objects that it links to. An
    /// addition to the SDK.
    ///
    /// The copies are linked like the originals: an object with several links to it is copied once,
    /// and cycles remain cycles. Collections, embedded objects and the content of `AnyRealmValue`
    /// are copied; linking objects are not. The copies may be used on any thread, by one thread at
    /// a time, and can be added to a realm.
    ///
    /// ```swift
    /// let copy = person.detached()
    /// queue.async { print(copy.name, copy.dogs.count) }
    ///
    /// let flat = person.detached(depth: 0)  // without the objects that it links to
    /// ```
    ///
    /// Traps for a deleted object, and outside of the realm's context.
    ///
    /// - Parameter depth: maximum number of links from the object to a copied object. In a copy, a
    ///   link to an object farther away is null in a property or map, and omitted from a list or
    ///   set. An embedded object counts as a part of its owner.
    public func detached(depth: Int = .max) -> Self {
        var copy = DetachedCopy(depth)
        let result = copy.copy(self)
        copy.finish()
        return unsafeDowncast(result, to: Self.self)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns unmanaged copies of the objects, with copies of the objects that they link to. An
    /// addition to the SDK.
    ///
    /// An object with several links to it is copied once. See `detached(depth:)` of an object.
    /// Traps on another thread, queue or actor than the realm's.
    ///
    /// ```swift
    /// let dogs: [Dog] = realm.objects(Dog.self).where { $0.age > 3 }.detached()
    /// ```
    public func detached(depth: Int = .max) -> [Element] {
        var copy = DetachedCopy(depth)
        let result = Array(self).map { unsafeDowncast(copy.copy($0), to: Element.self) }
        copy.finish()
        return result
    }
}

/// Copies objects breadth first, so that each object is reached by the least number of links.
private struct DetachedCopy {
    /// Identity of an object that is copied: of the stored object, or of the unmanaged instance.
    private enum Original: Hashable {
        case stored(ObjectIdentifier, table: UInt32, object: Int64)
        case unmanaged(ObjectIdentifier)
    }

    private struct Pending {
        let original: ObjectBase
        let copy: ObjectBase
    }

    private let limit: Int
    private var copies: [Original: ObjectBase] = [:]
    /// Number of links to the objects in `pending` from the objects that the caller copies.
    private var depth = 0
    /// Objects whose copies were made, but have no properties yet.
    private var pending: [Pending] = []
    /// Objects found by following a link from an object in `pending`. They replace the objects in
    /// `pending` when all of those are processed.
    private var following: [Pending] = []
    /// Objects that are copied. Retained, because unmanaged ones are identified by their addresses.
    private var originals: [ObjectBase] = []

    init(_ limit: Int) { self.limit = limit }

    /// Returns the copy of an object; makes the copy at the first call. `finish` sets the
    /// properties of the copy later.
    ///
    /// - Parameter isFarther: whether the object was found by following a link from an object in
    ///   `pending`, and so is one link farther away than these. False for objects that the caller
    ///   copies, and for embedded objects.
    mutating func copy(_ original: ObjectBase, isFarther: Bool = false) -> ObjectBase {
        if original.isInvalidated {
            throwRealmException("Object has been deleted or invalidated.")
        }
        let identity = identity(of: original)
        if let known = copies[identity] { return known }
        let copy = Swift.type(of: original).init()
        copies[identity] = copy
        originals.append(original)
        if isFarther {
            following.append(Pending(original: original, copy: copy))
        } else {
            pending.append(Pending(original: original, copy: copy))
        }
        return copy
    }

    private func identity(of object: ObjectBase) -> Original {
        guard let realm = object.keepAlive, let link = object.handle?.link else {
            return .unmanaged(ObjectIdentifier(object))
        }
        return .stored(ObjectIdentifier(realm), table: link.table.raw, object: link.key.raw)
    }

    /// Sets the properties of all copies that `copy` has made. Also copies the objects to which
    /// these properties link.
    mutating func finish() {
        while !pending.isEmpty {
            var next = 0
            // `fill` appends embedded objects of the copy to `pending`: they have the depth of
            // their owner.
            while next < pending.count {
                fill(pending[next])
                next += 1
            }
            (pending, following) = (following, [])
            depth += 1
        }
    }

    private mutating func fill(_ object: Pending) {
        let model = ClassModel.of(Swift.type(of: object.original))
        for field in model.fields where !field.isLinkingObjects {
            let value = object.original.value(forKey: field.name)
            object.copy.setValue(copied(value, field), forKey: field.name)
        }
    }

    private mutating func copied(_ value: Any?, _ field: ClassModel.Field) -> Any? {
        guard let value = value.flatMap({ unwrapped($0) }) else { return nil }
        switch field.shape.collection {
        case nil:
            return field.shape.type == .any
                ? mixed(AnyRealmValue(of: value) ?? .none) : element(value)
        case .list, .set:
            guard let collection = value as? any RealmCollectionBase else { return value }
            return elements(collection)
        case .dictionary:
            guard let map = value as? any RealmKeyedCollection else { return value }
            return entries(map)
        }
    }

    private mutating func elements<C: RealmCollectionBase>(_ collection: C) -> [Any] {
        var result: [Any] = []
        for original in collection {
            // Links to objects beyond the depth limit are omitted. Null elements remain.
            if let object = unwrapped(original) as? ObjectBase {
                if let copy = element(object) { result.append(copy) }
            } else {
                result.append(element(original) ?? NSNull())
            }
        }
        return result
    }

    private mutating func entries<M: RealmKeyedCollection>(
        _ map: M
    ) -> [String: Any] {
        var result: [String: Any] = [:]
        for key in map.keys {
            result["\(key)"] = map[key].flatMap { element($0) } ?? NSNull()
        }
        return result
    }

    /// Copies a value and the objects in it; nil for null, and for a link beyond the depth limit.
    private mutating func element(_ value: Any) -> Any? {
        guard let value = unwrapped(value) else { return nil }
        if let any = value as? AnyRealmValue { return mixed(any) }
        guard let object = value as? ObjectBase else { return value }
        return link(object)
    }

    private mutating func link(_ object: ObjectBase) -> ObjectBase? {
        if object is EmbeddedObject { return copy(object) }
        // A `DynamicObject` is not copied, because the program does not declare its class. The link
        // becomes null.
        if object is DynamicObject { return nil }
        return depth < limit ? copy(object, isFarther: true) : copies[identity(of: object)]
    }

    private mutating func mixed(_ value: AnyRealmValue) -> AnyRealmValue {
        switch value {
        case .object(let object):
            return (link(object) as? Object).map { .object($0) } ?? .none
        case .list(let list):
            var elements: [AnyRealmValue] = []
            for element in list { elements.append(mixed(element)) }
            return .fromArray(elements)
        case .dictionary(let map):
            var entries: [String: AnyRealmValue] = [:]
            for key in map.keys { entries[key] = mixed(map[key] ?? .none) }
            return .fromDictionary(entries)
        default: return value
        }
    }
}
