import Foundation
import RealmEngine

/// A class of objects that stand on their own. Subclass it and mark its columns with `@Persisted`.
open class Object: ObjectBase, ThreadConfined, RealmFetchable, RealmCollectionValue {
    public required init() { super.init() }

    /// Whether both stand for the same stored object.
    public func isSameObject(as object: Object?) -> Bool { isSame(as: object) }

    /// The name of the property that tells objects apart, in a class that does not use `@Persisted`.
    open class func primaryKey() -> String? { nil }

    /// A list of objects, whose class is known by its name alone.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        List(managedCollection(propertyName, "List"))
    }

    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        MutableSet(managedCollection(propertyName, "MutableSet"))
    }

    public func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        Map(managedCollection(propertyName, "Map"))
    }
}

extension Object: _PersistableInsideOptional, _DefaultConstructible,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Object
    public static var _rlmType: PropertyType { .object }
    public static var _rlmShape: _PropertyShape { _PropertyShape(.object, target: self) }
    public static func _rlmFromStored(_ stored: _Stored) -> Self { stored.object(self) }
    public var _rlmObject: ObjectBase? { self }
    public func _rlmStored(_ storing: _Storing) -> Value { storing.link(self) }
}

/// A class of objects that belong to one other object each, and go with it.
open class EmbeddedObject: ObjectBase, ThreadConfined, RealmCollectionValue {
    public required init() { super.init() }

    public func isSameObject(as object: EmbeddedObject?) -> Bool { isSame(as: object) }

    /// A list of objects, whose class is known by its name alone.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        List(managedCollection(propertyName, "List"))
    }
}

extension EmbeddedObject: _PersistableInsideOptional, _DefaultConstructible,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = EmbeddedObject
    public static var _rlmType: PropertyType { .object }
    public static var _rlmShape: _PropertyShape { _PropertyShape(.object, target: self) }
    public static func _rlmFromStored(_ stored: _Stored) -> Self { stored.object(self) }
    public var _rlmEmbedded: EmbeddedObject? { self }
    public func _rlmStored(_ storing: _Storing) -> Value {
        throwRealmException("Cannot add an existing managed embedded object to a List.")
    }
}

extension ObjectBase {
    /// A collection of the object, by the name that the class has for it or the file.
    fileprivate func managedCollection(_ name: String, _ kind: String) -> ManagedCollection {
        guard let handle, let keeper else {
            throwRealmException("The object is not managed by a Realm.")
        }
        let column = managed?.model.field(named: name)?.column ?? name
        guard let property = handle.objects.property(named: column),
            handle.objects.properties[property].collection != nil
        else {
            throwRealmException(
                "Property '\(name)' not found in object of type '\(Swift.type(of: self).className())'"
            )
        }
        return ManagedCollection(keeper, CollectionHandle(handle, property), kind)
    }
}

extension _Stored {
    /// The object a link leads to.
    func object<T: ObjectBase>(_ type: T.Type) -> T {
        guard case .link(let link) = value else { mismatch(value, type) }
        return realm.object(type, link)
    }
}

/// Something of a realm that belongs to one thread, queue or actor.
public protocol ThreadConfined {
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
}
