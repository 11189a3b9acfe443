import Foundation
import RealmEngine

// Protocols that classify column types. Only the library's own types and the public extension
// points (`PersistableEnum`, `CustomPersistable`, `FailableCustomPersistable`) implement them.

/// What can be made of a stored value, and stored.
public protocol _ObjcBridgeable {
    static func _rlmFromStored(_ stored: _Stored) -> Self
    /// Nil for a stored value that is none of the type's.
    static func _rlmOptionalFromStored(_ stored: _Stored) -> Self?
    func _rlmStored(_ storing: _Storing) -> RealmEngine.Value
    /// The object that is stored as a part of its owner.
    var _rlmEmbedded: EmbeddedObject? { get }
    /// The object that the value is, embedded or not.
    var _rlmObject: ObjectBase? { get }
    /// The value, where it may be a collection.
    var _rlmAny: AnyRealmValue? { get }
}
extension _ObjcBridgeable {
    public static func _rlmOptionalFromStored(_ stored: _Stored) -> Self? { _rlmFromStored(stored) }
    public var _rlmEmbedded: EmbeddedObject? { nil }
    public var _rlmObject: ObjectBase? { _rlmEmbedded }
    public var _rlmAny: AnyRealmValue? { nil }
}

public protocol _RealmSchemaDiscoverable {
    static var _rlmType: PropertyType { get }
    static var _rlmOptional: Bool { get }
    static var _rlmShape: _PropertyShape { get }
}
extension _RealmSchemaDiscoverable {
    public static var _rlmOptional: Bool { false }
    public static var _rlmShape: _PropertyShape { _PropertyShape(_rlmType) }
}
public protocol _HasPersistedType: _ObjcBridgeable { associatedtype PersistedType: _ObjcBridgeable }
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where
    PersistedType: _Persistable,
    PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
{
    static func _rlmDefaultValue() -> Self
    /// The property of a managed object, by its place in the class.
    static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self
    static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: Self)
    /// Writes what differs from the stored value, as `Realm.UpdatePolicy.modified` does.
    static func _rlmUpdate(
        _ object: ObjectBase, _ property: UInt16, _ value: Self, _ storing: _Storing)
    /// Accessors keep what they read first: collections are the same object each time.
    static var _rlmIsKept: Bool { get }
    /// What an accessor has is what it read, not what its class begins with. Traps for an object that is
    /// gone.
    static func _rlmStays(_ kept: Self, _ object: ObjectBase) -> Bool
    /// Gives a collection that an object of no realm has the content of another.
    static func _rlmAssign(_ value: Self, to kept: Self)
    /// What was given without a type; nil when it does not fit.
    static func _rlmConverted(_ value: Any?) -> Self?
    /// What a key path meets at this property, to go on from.
    static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self
    /// Stores what the wrapper at `place` had before its object was managed, and forgets it there.
    ///
    /// Asked of the type of value: each that is no wrapper of others has code of its own for this then,
    /// where a wrapper of any value has to ask what its parts are.
    static func _rlmAdopt(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing)
    /// Stores what an object had before it was managed. Returns what its accessor keeps.
    static func _rlmAdopt(
        _ value: Self, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> Self?
}
extension _Persistable {
    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self {
        _rlmFromStored(object.stored(Int(property)))
    }

    public static func _rlmConverted(_ value: Any?) -> Self? { Converted<Self>.of(value) }

    public static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self { _rlmDefaultValue() }

    public static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: Self) {
        object.store(value, in: Int(property))
    }

    public static func _rlmUpdate(
        _ object: ObjectBase, _ property: UInt16, _ value: Self, _ storing: _Storing
    ) { ValueSlot.property(object, Int(property)).update(value, storing) }

    public static var _rlmIsKept: Bool { false }

    public static func _rlmStays(_ kept: Self, _ object: ObjectBase) -> Bool { false }
    public static func _rlmAssign(_ value: Self, to kept: Self) {}

    public static func _rlmAdopt(
        _ value: Self, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> Self? {
        object.adopt(value, in: Int(property), storing)
        return nil
    }

    public static func _rlmAdopt(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {
        let wrapper = place.assumingMemoryBound(to: Persisted<Self>.self)
        let value = wrapper.pointee.local ?? _rlmDefaultValue()
        wrapper.pointee.local = nil
        wrapper.pointee.local = _rlmAdopt(value, object, property, storing)
    }
}
public protocol _PersistableInsideOptional: _Persistable
where PersistedType: _PersistableInsideOptional {
    /// The same for an optional of the type.
    static func _rlmAdoptOptional(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing)
}
extension _PersistableInsideOptional {
    public static func _rlmAdoptOptional(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {
        let wrapper = place.assumingMemoryBound(to: Persisted<Self?>.self)
        let value = wrapper.pointee.local ?? nil
        wrapper.pointee.local = nil
        if let value {
            object.adopt(value, in: Int(property), storing)
        } else {
            object.adopt(.null, in: Int(property), storing)
        }
    }
}
public protocol _DefaultConstructible { init() }
extension _Persistable where Self: _DefaultConstructible {
    public static func _rlmDefaultValue() -> Self { .init() }
}
@_marker public protocol _Indexable {}
@_marker public protocol _PrimaryKey {}
public protocol MinMaxType {}
public protocol AddableType {}
public protocol SortableType {}
public protocol KeypathSortable {}
public protocol _QueryNumeric: _RealmSchemaDiscoverable {}
public protocol _QueryBinary {}
public protocol _QueryString: _QueryBinary {}
public protocol _MapKey: Hashable, _ObjcBridgeable {}
public protocol OptionalProtocol {
    associatedtype Wrapped
    func _rlmInferWrappedType() -> Wrapped
}
public protocol RealmOptionalType: _ObjcBridgeable {}
public protocol RealmPropertyType: _ObjcBridgeable, _RealmSchemaDiscoverable {
    /// Null.
    static func _rlmNothing() -> Self
}
public protocol RealmEnum: RealmOptionalType, _RealmSchemaDiscoverable {}
public protocol RealmCollectionValue: Hashable, _HasPersistedType
where PersistedType: RealmCollectionValue {
    static func _rlmDefaultValue() -> Self
}
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue
where PersistedType: _RealmCollectionValueInsideOptional {}
public protocol _CustomPersistable: _PersistableInsideOptional, _RealmCollectionValueInsideOptional
{}

public protocol CustomPersistable: _CustomPersistable {
    init(persistedValue: PersistedType)
    var persistableValue: PersistedType { get }
}
public protocol FailableCustomPersistable: _CustomPersistable {
    init?(persistedValue: PersistedType)
    var persistableValue: PersistedType { get }
}
extension _CustomPersistable {
    public static var _rlmType: PropertyType { PersistedType._rlmType }
    public static var _rlmOptional: Bool { PersistedType._rlmOptional }
    public static var _rlmShape: _PropertyShape {
        var shape = PersistedType._rlmShape
        shape.isCustom = true
        return shape
    }
}
extension CustomPersistable {
    public static func _rlmDefaultValue() -> Self {
        Self(persistedValue: PersistedType._rlmDefaultValue())
    }
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        if case .null = stored.value { return _rlmDefaultValue() }
        return Self(persistedValue: PersistedType._rlmFromStored(stored))
    }
    public var _rlmEmbedded: EmbeddedObject? {
        PersistedType.self is EmbeddedObject.Type ? persistableValue._rlmEmbedded : nil
    }
    public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }
    public func _rlmStored(_ storing: _Storing) -> RealmEngine.Value {
        persistableValue._rlmStored(storing)
    }
}
extension FailableCustomPersistable {
    public static func _rlmDefaultValue() -> Self {
        if let made = Self(persistedValue: PersistedType._rlmDefaultValue()) { return made }
        throwRealmException(
            "Failed to default construct a \(Self.self) using the default value for persisted type "
                + "\(PersistedType.self). This conversion must either succeed, the property must be "
                + "optional, or you must explicitly specify a default value for the property.")
    }
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        if case .null = stored.value { return _rlmDefaultValue() }
        if let made = _rlmOptionalFromStored(stored) { return made }
        throwRealmException(
            "Could not convert value '\(PersistedType._rlmFromStored(stored))' to type '\(Self.self)'."
        )
    }
    public static func _rlmOptionalFromStored(_ stored: _Stored) -> Self? {
        Self(persistedValue: PersistedType._rlmFromStored(stored))
    }
    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self {
        let stored = object.stored(Int(property))
        if case .null = stored.value { return _rlmDefaultValue() }
        if let made = _rlmOptionalFromStored(stored) { return made }
        throwRealmException(
            "Failed to convert persisted value '\(PersistedType._rlmFromStored(stored))' to type "
                + "'\(Self.self)' in a non-optional context.")
    }
    public var _rlmEmbedded: EmbeddedObject? {
        PersistedType.self is EmbeddedObject.Type ? persistableValue._rlmEmbedded : nil
    }
    public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }
    public func _rlmStored(_ storing: _Storing) -> RealmEngine.Value {
        persistableValue._rlmStored(storing)
    }
}
extension URL: FailableCustomPersistable {
    public typealias PersistedType = String
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    public var persistableValue: String { absoluteString }
}

public protocol PersistableEnum: _PersistableInsideOptional, RawRepresentable, CaseIterable,
    RealmEnum,
    _RealmCollectionValueInsideOptional, MinMaxType, Comparable
where RawValue: Comparable {}
extension PersistableEnum {
    public init() { self = Self.allCases.first! }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    public static func _rlmDefaultValue() -> Self { Self.allCases.first! }
    public static func _rlmFromStored(_ stored: _Stored) -> Self where RawValue: _ObjcBridgeable {
        if let value = _rlmOptionalFromStored(stored) { return value }
        let raw = RawValue._rlmFromStored(stored)
        throwRealmException("Could not convert value '\(raw)' to type '\(Self.self)'.")
    }
    public static func _rlmOptionalFromStored(_ stored: _Stored) -> Self?
    where RawValue: _ObjcBridgeable { Self(rawValue: RawValue._rlmFromStored(stored)) }
    public func _rlmStored(_ storing: _Storing) -> RealmEngine.Value
    where RawValue: _ObjcBridgeable {
        rawValue._rlmStored(storing)
    }
}
extension RawRepresentable where RawValue: _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { RawValue._rlmType }
}
extension RawRepresentable
where Self: _PersistableInsideOptional, RawValue: _PersistableInsideOptional {
    public typealias PersistedType = RawValue
}
