import Foundation
import RealmEngine

/// Base class of model classes. A subclass marks its stored properties with `@Persisted`.
///
/// An object is unmanaged until it is added to a realm. A managed object is a live view of the
/// stored one: reading a property reads the database, setting one needs a write transaction, and
/// both only in the context of the realm.
///
/// ```swift
/// final class Dog: Object {
///     @Persisted(primaryKey: true) var id: ObjectId
///     @Persisted(indexed: true) var name: String
///     @Persisted var age = 0
///     @Persisted var friends: List<Dog>
///     @Persisted(originProperty: "friends") var friendOf: LinkingObjects<Dog>
/// }
///
/// let dog = Dog(value: ["name": "Rex"])
/// try realm.write {
///     realm.add(dog)
///     dog.age = 3
/// }
/// ```
open class Object: ObjectBase, ThreadConfined, RealmFetchable, RealmCollectionValue {
    /// Creates an unmanaged object with the default values of its properties.
    public required init() { super.init() }

    /// Whether both are accessors of the same stored object. Unlike `==`, this also holds for live
    /// objects without a primary key.
    public func isSameObject(as object: Object?) -> Bool { isSame(as: object) }

    /// Name of the primary key, in a class that does not use `@Persisted`.
    open class func primaryKey() -> String? { nil }

    /// Returns a property as a list of objects whose class is given by name.
    ///
    /// Traps if the object is unmanaged or has no such collection.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        List(managedCollection(propertyName, "List"))
    }

    /// Returns a property as a set of objects whose class is given by name.
    ///
    /// Traps if the object is unmanaged or has no such collection.
    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        MutableSet(managedCollection(propertyName, "MutableSet"))
    }

    /// Returns a property as a map of objects whose class is given by name.
    ///
    /// Traps if the object is unmanaged or has no such collection.
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

/// Base class of objects that belong to exactly one owner and are deleted with it.
///
/// An embedded object is stored by setting it in a property, list or map of its owner. It cannot
/// have a primary key and cannot be added to a realm by itself; adding a managed one to another
/// owner traps.
///
/// ```swift
/// final class Address: EmbeddedObject {
///     @Persisted var street = ""
/// }
///
/// final class Person: Object {
///     @Persisted(primaryKey: true) var id: Int
///     @Persisted var home: Address?
/// }
///
/// try realm.write { person.home = Address(value: ["street": "Elm Street"]) }
/// ```
open class EmbeddedObject: ObjectBase, ThreadConfined, RealmCollectionValue {
    /// Creates an unmanaged object with the default values of its properties.
    public required init() { super.init() }

    /// Whether both are accessors of the same stored object.
    public func isSameObject(as object: EmbeddedObject?) -> Bool { isSame(as: object) }

    /// Returns a property as a list of objects whose class is given by name.
    ///
    /// Traps if the object is unmanaged or has no such collection.
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
    /// The collection of a property, by its name in the class or in the file. Traps if there is
    /// none.
    fileprivate func managedCollection(_ name: String, _ kind: String) -> ManagedCollection {
        guard let handle, let keepAlive else {
            throwRealmException("The object is not managed by a Realm.")
        }
        checkNotInvalidated()
        let column = managed?.model.field(named: name)?.column ?? name
        guard let property = handle.objects.property(named: column),
            handle.objects.properties[property].collection != nil
        else {
            throwRealmException(
                "Property '\(name)' not found in object of type '\(Swift.type(of: self).className())'"
            )
        }
        return ManagedCollection(keepAlive, CollectionHandle(handle, property), kind)
    }
}

extension _Stored {
    /// The object that a link references. Traps for a value that is not a link.
    func object<T: ObjectBase>(_ type: T.Type) -> T {
        guard case .link(let link) = value else { mismatch(value, type) }
        return realm.object(type, link)
    }
}

/// A value of a realm that is confined to one thread, queue or actor, unless it is frozen.
public protocol ThreadConfined {
    /// The realm of the value; nil for an unmanaged value.
    var realm: Realm? { get }
    /// Whether the value can no longer be read, because it was deleted or its realm was
    /// invalidated.
    var isInvalidated: Bool { get }
    /// Whether the value belongs to a frozen realm, so that any thread may read it.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which does not change and may be read on any thread. Traps for an
    /// unmanaged value.
    func freeze() -> Self
    /// Returns the live value of a frozen one, in the context of the caller; nil if it
    /// has been deleted. Traps for an unmanaged value.
    func thaw() -> Self?
}
