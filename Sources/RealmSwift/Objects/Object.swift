import Foundation
import RealmEngine

/// Base class of model classes. A subclass marks its stored properties with `@Persisted`.
///
/// An object is unmanaged until it is added to a realm. A managed object is a live accessor of the
/// stored object: reading a property reads the database, and setting a property writes to the
/// database, inside a write transaction only. A managed object may be used only on the thread,
/// queue or actor of its realm; any other use traps. A frozen object may be read on any thread.
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

    /// Whether both are accessors of the same stored object. By contrast, `==` compares live
    /// objects without a primary key by identity of the accessor.
    public func isSameObject(as object: Object?) -> Bool { isSame(as: object) }

    /// Returns the name of the primary key, in a class that does not use `@Persisted`. To be
    /// overridden.
    open class func primaryKey() -> String? { nil }

    /// Returns the list of a property, with dynamic objects as elements.
    ///
    /// Traps if the object is unmanaged or has no such collection.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        List(managedCollection(propertyName, "List"))
    }

    /// Returns the set of a property, with dynamic objects as elements.
    ///
    /// Traps if the object is unmanaged or has no such collection.
    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        MutableSet(managedCollection(propertyName, "MutableSet"))
    }

    /// Returns the map of a property, with dynamic objects as values.
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
/// An embedded object is stored by assigning it to a property, or adding it to a list or map, of
/// its owner. It cannot have a primary key and cannot be added to a realm by itself. Giving a
/// managed embedded object to another owner traps. It may be used on the same thread, queue or
/// actor as its owner.
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

    /// Returns the list of a property, with dynamic objects as elements.
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
    /// Returns the collection of the property with this name in the class or in the file. Traps if
    /// there is none.
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
    /// Returns an accessor of the linked object. Traps for a value that is not a link.
    func object<T: ObjectBase>(_ type: T.Type) -> T {
        guard case .link(let link) = value else { mismatch(value, type) }
        return realm.object(type, link)
    }
}

/// A value that belongs to a realm. Unless it is frozen, it may be used only on the thread, queue
/// or actor of that realm.
public protocol ThreadConfined {
    /// The realm of the value; nil for an unmanaged value.
    var realm: Realm? { get }
    /// Whether the value can no longer be read because it was deleted or its realm was invalidated.
    var isInvalidated: Bool { get }
    /// Whether the value belongs to a frozen realm. A frozen value may be read on any thread.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which does not change and may be read on any thread. Traps for an
    /// unmanaged value.
    func freeze() -> Self
    /// Returns the live version of this frozen value, for the caller's thread, queue or actor; nil
    /// if it was deleted. A live value returns itself. Traps for an unmanaged value.
    func thaw() -> Self?
}
