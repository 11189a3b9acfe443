import Foundation
import RealmEngine

// Protocols that classify column types. Only the library's own types and the public extension
// points (`PersistableEnum`, `CustomPersistable`, `FailableCustomPersistable`) implement them.

/// A type that can be converted from and to a stored value.
public protocol _ObjcBridgeable {
    /// Converts a stored value. Traps if it has another type.
    static func _rlmFromStored(_ stored: _Stored) -> Self
    /// Converts a stored value; nil if the type does not accept it.
    static func _rlmOptionalFromStored(_ stored: _Stored) -> Self?
    /// Converts the value to the engine's form. `storing` owns the memory of texts and bytes.
    func _rlmStored(_ storing: _Storing) -> RealmEngine.Value
    /// The object if it is stored as a part of its owner; nil for all other values.
    var _rlmEmbedded: EmbeddedObject? { get }
    /// The object, embedded or not; nil for other values.
    var _rlmObject: ObjectBase? { get }
    /// The value if it may contain a collection; nil for other types.
    var _rlmAny: AnyRealmValue? { get }
}
extension _ObjcBridgeable {
    public static func _rlmOptionalFromStored(_ stored: _Stored) -> Self? { _rlmFromStored(stored) }
    public var _rlmEmbedded: EmbeddedObject? { nil }
    public var _rlmObject: ObjectBase? { _rlmEmbedded }
    public var _rlmAny: AnyRealmValue? { nil }
}

/// A type that a column can have.
public protocol _RealmSchemaDiscoverable {
    /// Type of the column, or of its elements.
    static var _rlmType: PropertyType { get }
    /// Whether the value may be nil.
    static var _rlmOptional: Bool { get }
    /// The complete description of the column.
    static var _rlmShape: _PropertyShape { get }
}
extension _RealmSchemaDiscoverable {
    public static var _rlmOptional: Bool { false }
    public static var _rlmShape: _PropertyShape { _PropertyShape(_rlmType) }
}
/// A type whose values are stored as values of `PersistedType`.
public protocol _HasPersistedType: _ObjcBridgeable { associatedtype PersistedType: _ObjcBridgeable }
/// A type that a property marked with `@Persisted` can have. Implemented by the library, and for
/// enums and custom types through `PersistableEnum`, `CustomPersistable` and
/// `FailableCustomPersistable`.
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where
    PersistedType: _Persistable,
    PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
{
    /// The value of a property without an initial value.
    static func _rlmDefaultValue() -> Self
    /// Reads a property of a managed object, by its index in the class.
    static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self
    /// Sets a property of a managed object. Traps outside of a write transaction.
    static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: Self)
    /// Writes `value` if it differs from the stored value, as `Realm.UpdatePolicy.modified` does.
    static func _rlmUpdate(
        _ object: ObjectBase, _ property: UInt16, _ value: Self, _ storing: _Storing)
    /// Whether accessors cache the value, so that a collection is the same object at each read.
    static var _rlmIsKept: Bool { get }
    /// Whether a cached value can still be returned: the accessor read it, and it is not the
    /// initial value. Traps for an object of a version that its realm released.
    static func _rlmStays(_ kept: Self, _ object: ObjectBase) -> Bool
    /// Replaces the content of a collection of an unmanaged object.
    static func _rlmAssign(_ value: Self, to kept: Self)
    /// Converts an untyped value; nil if it does not fit.
    static func _rlmConverted(_ value: Any?) -> Self?
    /// Value through which a key path that is being recorded continues.
    static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self
    /// Stores the value that the wrapper at `address` had before its object was managed, and
    /// removes it from the wrapper.
    ///
    /// A requirement of the value type, so that each concrete type has specialised code; code of
    /// the wrapper would look up its generic parameters at run time.
    static func _rlmAdopt(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing)
    /// Stores a value that an object had before it was managed. Returns the value that the accessor
    /// caches, or nil.
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
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {
        let wrapper = address.assumingMemoryBound(to: Persisted<Self>.self)
        let value = wrapper.pointee.local ?? _rlmDefaultValue()
        wrapper.pointee.local = nil
        wrapper.pointee.local = _rlmAdopt(value, object, property, storing)
    }
}
/// A type that a property can have as an optional.
public protocol _PersistableInsideOptional: _Persistable
where PersistedType: _PersistableInsideOptional {
    /// Stores the value that the wrapper of an optional had before its object was managed.
    static func _rlmAdoptOptional(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing)
}
extension _PersistableInsideOptional {
    public static func _rlmAdoptOptional(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {
        let wrapper = address.assumingMemoryBound(to: Persisted<Self?>.self)
        let value = wrapper.pointee.local ?? nil
        wrapper.pointee.local = nil
        if let value {
            object.adopt(value, in: Int(property), storing)
        } else {
            object.adopt(.null, in: Int(property), storing)
        }
    }
}
/// A type whose `init()` makes the default value of a property.
public protocol _DefaultConstructible { init() }
extension _Persistable where Self: _DefaultConstructible {
    public static func _rlmDefaultValue() -> Self { .init() }
}
/// A type of property that can have a search index.
@_marker public protocol _Indexable {}
/// A type of property that can be a primary key.
@_marker public protocol _PrimaryKey {}
/// A type with a minimum and a maximum: numbers and dates.
public protocol MinMaxType {}
/// A type with a sum and an average: numbers.
public protocol AddableType {}
/// A type by which collections can be sorted.
public protocol SortableType {}
/// A type of element that can be sorted by key path: objects and projections.
public protocol KeypathSortable {}
/// A type that `Query` compares with `<` and `>` and aggregates.
public protocol _QueryNumeric: _RealmSchemaDiscoverable {}
/// A type that `Query` searches for bytes: text and data.
public protocol _QueryBinary {}
/// A type that `Query` searches for text.
public protocol _QueryString: _QueryBinary {}
/// A type of key in a `Map`: `String`.
public protocol _MapKey: Hashable, _ObjcBridgeable {}
/// `Optional`, for constraints on generic parameters.
public protocol OptionalProtocol {
    associatedtype Wrapped
    /// Returns the wrapped value. For type inference; traps for nil.
    func _rlmInferWrappedType() -> Wrapped
}
/// A type that a `RealmOptional` can have.
public protocol RealmOptionalType: _ObjcBridgeable {}
/// A type that a `RealmProperty` can have.
public protocol RealmPropertyType: _ObjcBridgeable, _RealmSchemaDiscoverable {
    /// Null as a value of the type.
    static func _rlmNothing() -> Self
}
/// An enum that is stored as its raw value, in classes that do not use `@Persisted`. New code uses
/// `PersistableEnum`.
///
/// ```swift
/// enum Kind: Int, RealmEnum { case dog, cat }
///
/// final class Pet: Object {
///     let kind = RealmOptional<Kind>()
/// }
/// ```
public protocol RealmEnum: RealmOptionalType, _RealmSchemaDiscoverable {}
extension RealmEnum where Self: RawRepresentable, RawValue: _ObjcBridgeable {
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        if let value = _rlmOptionalFromStored(stored) { return value }
        let raw = RawValue._rlmFromStored(stored)
        throwRealmException("Could not convert value '\(raw)' to type '\(Self.self)'.")
    }
    public static func _rlmOptionalFromStored(_ stored: _Stored) -> Self? {
        Self(rawValue: RawValue._rlmFromStored(stored))
    }
    public func _rlmStored(_ storing: _Storing) -> RealmEngine.Value {
        rawValue._rlmStored(storing)
    }
}
/// A type that elements of `List`, `MutableSet`, `Map` and `Results` can have.
public protocol RealmCollectionValue: Hashable, _HasPersistedType
where PersistedType: RealmCollectionValue {
    /// The default value of the type.
    static func _rlmDefaultValue() -> Self
}
/// A type that elements of collections can have as an optional.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue
where PersistedType: _RealmCollectionValueInsideOptional {}
/// Common base of `CustomPersistable` and `FailableCustomPersistable`.
public protocol _CustomPersistable: _PersistableInsideOptional, _RealmCollectionValueInsideOptional
{}

/// A type of the program that is stored as a value of another type, which always converts back.
///
/// ```swift
/// struct Celsius: CustomPersistable {
///     typealias PersistedType = Double
///     var degrees: Double
///     init(persistedValue: Double) { degrees = persistedValue }
///     var persistableValue: Double { degrees }
/// }
/// ```
public protocol CustomPersistable: _CustomPersistable {
    /// Creates the value from its stored form.
    init(persistedValue: PersistedType)
    /// The stored form of the value.
    var persistableValue: PersistedType { get }
}
/// A type of the program that is stored as a value of another type, and that may refuse a stored
/// value.
///
/// A refused value is nil in an optional property and traps in a property that is not optional.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Creates the value from its stored form; nil if the type refuses it.
    init?(persistedValue: PersistedType)
    /// The stored form of the value.
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
    /// Hashes the stored form.
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
    /// Hashes the stored form.
    public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }
    public func _rlmStored(_ storing: _Storing) -> RealmEngine.Value {
        persistableValue._rlmStored(storing)
    }
}
extension URL: FailableCustomPersistable {
    public typealias PersistedType = String
    /// Creates the URL from its stored text; nil if the text is not a URL.
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    /// The absolute URL as text.
    public var persistableValue: String { absoluteString }
}

/// An enum that a property can have; stored as its raw value.
///
/// ```swift
/// enum Kind: String, PersistableEnum { case dog, cat }
///
/// final class Pet: Object {
///     @Persisted var kind: Kind
/// }
/// ```
public protocol PersistableEnum: _PersistableInsideOptional, RawRepresentable, CaseIterable,
    RealmEnum,
    _RealmCollectionValueInsideOptional, MinMaxType, Comparable
where RawValue: Comparable {}
extension PersistableEnum {
    /// Creates the first case.
    public init() { self = Self.allCases.first! }
    /// Whether the raw value of `a` is less.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    public static func _rlmDefaultValue() -> Self { Self.allCases.first! }
}
extension RawRepresentable where RawValue: _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { RawValue._rlmType }
}
extension RawRepresentable
where Self: _PersistableInsideOptional, RawValue: _PersistableInsideOptional {
    public typealias PersistedType = RawValue
}
