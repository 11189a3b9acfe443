import Foundation
import RealmEngine

/// A class of objects that stand on their own. Subclass it and mark its columns with `@Persisted`.
open class Object: ObjectBase, ThreadConfined, RealmFetchable, RealmCollectionValue {
    public required init() { super.init() }

    /// Whether both stand for the same stored object.
    public func isSameObject(as object: Object?) -> Bool { isSame(as: object) }

    /// The name of the property that tells objects apart, in a class that does not use `@Persisted`.
    open class func primaryKey() -> String? { nil }
}

extension Object: _PersistableInsideOptional, _DefaultConstructible,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Object
    public static var _rlmType: PropertyType { .object }
    public static var _rlmShape: _PropertyShape { _PropertyShape(.object, target: self) }
    public static func _rlmFromStored(_ stored: _Stored) -> Self { stored.object(self) }
    public func _rlmStored(_ storing: _Storing) -> Value { storing.link(self) }
}

/// A class of objects that belong to one other object each, and go with it.
open class EmbeddedObject: ObjectBase, ThreadConfined, RealmCollectionValue {
    public required init() { super.init() }

    public func isSameObject(as object: EmbeddedObject?) -> Bool { isSame(as: object) }
}

extension EmbeddedObject: _PersistableInsideOptional, _DefaultConstructible,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = EmbeddedObject
    public static var _rlmType: PropertyType { .object }
    public static var _rlmShape: _PropertyShape { _PropertyShape(.object, target: self) }
    public static func _rlmFromStored(_ stored: _Stored) -> Self { stored.object(self) }
    public func _rlmStored(_ storing: _Storing) -> Value {
        throwRealmException("Cannot add an existing managed embedded object to a List.")
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
