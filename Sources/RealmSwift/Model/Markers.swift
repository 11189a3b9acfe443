import Foundation
import RealmEngine

// Protocols that classify the types of columns. Programs conform to `PersistableEnum`,
// `CustomPersistable` and `FailableCustomPersistable`. All other protocols are implemented by the
// library only.

/// A type that can be converted from and to a stored value.
public protocol _ObjcBridgeable {
    /// Converts a stored value to this type. Traps if the stored value has another type.
    static func _rlmFromStored(_ stored: _Stored) -> Self
    /// Converts a stored value to this type; nil if the type rejects the value.
    static func _rlmOptionalFromStored(_ stored: _Stored) -> Self?
    /// Converts the value to a `RealmEngine.Value`. Texts and bytes in the result are valid until
    /// `storing` is released or reused.
    func _rlmStored(_ storing: _Storing) -> RealmEngine.Value
    /// The value if it is an embedded object, otherwise nil.
    var _rlmEmbedded: EmbeddedObject? { get }
    /// The value if it is an object, embedded or not; otherwise nil.
    var _rlmObject: ObjectBase? { get }
    /// The value if it is an `AnyRealmValue`, which may contain a collection; otherwise nil.
    var _rlmAny: AnyRealmValue? { get }
}
extension _ObjcBridgeable {
    public static func _rlmOptionalFromStored(_ stored: _Stored) -> Self? { _rlmFromStored(stored) }
    public var _rlmEmbedded: EmbeddedObject? { nil }
    public var _rlmObject: ObjectBase? { _rlmEmbedded }
    public var _rlmAny: AnyRealmValue? { nil }
}

/// A type that a column, or the elements of a column, can have.
public protocol _RealmSchemaDiscoverable {
    /// Type of the column, or of its elements.
    static var _rlmType: PropertyType { get }
    /// Whether the value may be nil.
    static var _rlmOptional: Bool { get }
    /// Description of a column of this type.
    static var _rlmShape: _PropertyShape { get }
}
extension _RealmSchemaDiscoverable {
    public static var _rlmOptional: Bool { false }
    public static var _rlmShape: _PropertyShape { _PropertyShape(_rlmType) }
}
/// A type that is stored as another type, `PersistedType`. For most types the two are the same.
public protocol _HasPersistedType: _ObjcBridgeable { associatedtype PersistedType: _ObjcBridgeable }
/// A type that a property marked with `@Persisted` can have. Implemented by the library, and for
/// enums and custom types through `PersistableEnum`, `CustomPersistable` and
/// `FailableCustomPersistable`.
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where
    PersistedType: _Persistable,
    PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
{
    /// Returns the initial value of a property that declares none.
    static func _rlmDefaultValue() -> Self
    /// Returns the value of a property of a managed object.
    ///
    /// - Parameter property: index of the property in its class.
    static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self
    /// Sets a property of a managed object. Traps outside of a write transaction.
    ///
    /// - Parameter property: index of the property in its class.
    static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: Self)
    /// Sets a property of a managed object if `value` differs from the stored value, according to
    /// `Realm.UpdatePolicy.modified`.
    static func _rlmUpdate(
        _ object: ObjectBase, _ property: UInt16, _ value: Self, _ storing: _Storing)
    /// Whether an accessor caches the property's value. True for collections, so that each read
    /// returns the same `List`.
    static var _rlmIsKept: Bool { get }
    /// Whether an accessor may return its cached value `kept`. False if `kept` is a collection that
    /// was created while the object was unmanaged. Traps if the realm of the object was
    /// invalidated.
    static func _rlmStays(_ kept: Self, _ object: ObjectBase) -> Bool
    /// Replaces the content of `kept`, a collection of an unmanaged object, by the content of
    /// `value`.
    static func _rlmAssign(_ value: Self, to kept: Self)
    /// Converts an untyped value to this type; nil if its type does not fit.
    static func _rlmConverted(_ value: Any?) -> Self?
    /// Returns the value of the property while the properties that a key path reads are recorded.
    /// For a link or a collection of objects, it is or contains an object that records which
    /// properties are read from it.
    static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self
    /// Stores the initial value of the property wrapper at `address` when its object becomes
    /// managed, and removes the value from the wrapper.
    ///
    /// This is a requirement of the value type, so that the compiler specialises the code for each
    /// type. Code of the generic wrapper would look up its parameters at run time.
    static func _rlmAdopt(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing)
    /// Stores the initial value of a property when its object becomes managed. Returns the value
    /// that the accessor caches; nil if it caches none.
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
/// A type that a property can also have as an optional: `Int?`.
public protocol _PersistableInsideOptional: _Persistable
where PersistedType: _PersistableInsideOptional {
    /// Stores the initial value of an optional property when its object becomes managed. `address`
    /// is the address of its property wrapper.
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
/// A type whose `init()` returns the initial value of a property that declares none.
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
/// A type of elements by which a collection can be sorted.
public protocol SortableType {}
/// A type of elements that have properties to sort by: objects and projections.
public protocol KeypathSortable {}
/// A type for which `Query` has `<`, `>` and aggregate functions.
public protocol _QueryNumeric: _RealmSchemaDiscoverable {}
/// A type for which `Query` has searches for bytes, such as `starts(with:)`: text and data.
public protocol _QueryBinary {}
/// A type for which `Query` has searches for text, such as `like(_:)`.
public protocol _QueryString: _QueryBinary {}
/// A type that the keys of a `Map` can have: `String`.
public protocol _MapKey: Hashable, _ObjcBridgeable {}
/// Implemented by `Optional` only. Lets constraints of generic parameters require an optional.
public protocol OptionalProtocol {
    associatedtype Wrapped
    /// Returns the wrapped value; traps for nil. Never called: exists for the type inference of the
    /// compiler.
    func _rlmInferWrappedType() -> Wrapped
}
/// A type that a `RealmOptional` can have.
public protocol RealmOptionalType: _ObjcBridgeable {}
/// A type that a `RealmProperty` can have.
public protocol RealmPropertyType: _ObjcBridgeable, _RealmSchemaDiscoverable {
    /// Returns null as a value of the type.
    static func _rlmNothing() -> Self
}
/// An enum that is stored as its raw value, in classes that do not use `@Persisted`. Use
/// `PersistableEnum` in new code.
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
/// A type that the elements of `List`, `MutableSet`, `Map` and `Results` can have.
public protocol RealmCollectionValue: Hashable, _HasPersistedType
where PersistedType: RealmCollectionValue {
    /// Returns the default value of the type.
    static func _rlmDefaultValue() -> Self
}
/// A type that the elements of collections can also have as an optional: `Int?`.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue
where PersistedType: _RealmCollectionValueInsideOptional {}
/// Common requirements of `CustomPersistable` and `FailableCustomPersistable`.
public protocol _CustomPersistable: _PersistableInsideOptional, _RealmCollectionValueInsideOptional
{}

/// A type of the program that is stored as another type. Every stored value can be converted back.
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
/// A type of the program that is stored as another type. Conversion of a stored value can fail.
///
/// A property with an optional type then has the value nil. Reading a property with another type
/// traps.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Creates the value from its stored form. Returns nil if there is no value for the stored
    /// form.
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

/// An enum that a property can have. It is stored as its raw value, for example an integer or a
/// text.
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
    /// Creates the first case in the order of `allCases`.
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
