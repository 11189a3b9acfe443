import Foundation
import RealmEngine

// Conformances of the Swift and Foundation types that columns can have.

/// Traps because a stored value does not have the type that the class declares. That happens with a
/// damaged file, and after a schema change while the program runs.
func mismatch<T>(_ value: Value, _ type: T.Type) -> Never {
    throwRealmException("Could not convert value '\(value.text)' to type '\(type)'.")
}

/// An integer type that columns can have: `Int`, `Int8`, `Int16`, `Int32` or `Int64`. All are
/// stored in 64 bits.
public protocol _IntegerColumn: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey,
    _Indexable, MinMaxType, AddableType,
    SortableType, _QueryNumeric, RealmOptionalType, _RealmCollectionValueInsideOptional,
    FixedWidthInteger
{}
extension _IntegerColumn {
    public static var _rlmType: PropertyType { .int }
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        guard case .int(let number) = stored.value else { mismatch(stored.value, self) }
        return Self(truncatingIfNeeded: number)
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .int(Int64(truncatingIfNeeded: self)) }
    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> Self {
        Self(truncatingIfNeeded: object.integer(Int(property)))
    }
}
extension Int: _IntegerColumn { public typealias PersistedType = Int }
extension Int8: _IntegerColumn { public typealias PersistedType = Int8 }
extension Int16: _IntegerColumn { public typealias PersistedType = Int16 }
extension Int32: _IntegerColumn { public typealias PersistedType = Int32 }
extension Int64: _IntegerColumn { public typealias PersistedType = Int64 }

extension Bool: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable,
    RealmOptionalType,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Bool
    public static var _rlmType: PropertyType { .bool }
    public static func _rlmFromStored(_ stored: _Stored) -> Bool {
        guard case .bool(let value) = stored.value else { mismatch(stored.value, self) }
        return value
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .bool(self) }
}
extension Float: _PersistableInsideOptional, _DefaultConstructible, MinMaxType, AddableType,
    SortableType, _QueryNumeric,
    RealmOptionalType, _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Float
    public static var _rlmType: PropertyType { .float }
    public static func _rlmFromStored(_ stored: _Stored) -> Float {
        guard case .float(let value) = stored.value else { mismatch(stored.value, self) }
        return value
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .float(self) }
}
extension Double: _PersistableInsideOptional, _DefaultConstructible, MinMaxType, AddableType,
    SortableType, _QueryNumeric,
    RealmOptionalType, _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Double
    public static var _rlmType: PropertyType { .double }
    public static func _rlmFromStored(_ stored: _Stored) -> Double {
        guard case .double(let value) = stored.value else { mismatch(stored.value, self) }
        return value
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .double(self) }
}
extension String: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable,
    SortableType, _QueryString, _MapKey,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = String
    public static var _rlmType: PropertyType { .string }
    public static func _rlmFromStored(_ stored: _Stored) -> String {
        guard case .string(let bytes) = stored.value else { mismatch(stored.value, self) }
        return bytes.string
    }
    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> String {
        guard let bytes = object.text(Int(property)) else { mismatch(.null, self) }
        return bytes.string
    }
    /// Stores the text directly, without copying it to the buffer in `storing`.
    public static func _rlmAdopt(
        _ value: String, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing
    ) -> String? {
        value.withView { object.adopt(.string($0), in: Int(property), storing) }
        return nil
    }
    public func _rlmStored(_ storing: _Storing) -> Value { storing.string(self) }
}
extension Data: _PersistableInsideOptional, _DefaultConstructible, SortableType, _QueryBinary,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Data
    public static var _rlmType: PropertyType { .data }
    public static func _rlmFromStored(_ stored: _Stored) -> Data {
        guard case .binary(let bytes) = stored.value else { mismatch(stored.value, self) }
        return Data(bytes.buffer)
    }
    public func _rlmStored(_ storing: _Storing) -> Value { storing.binary(self) }
}
extension Date: _PersistableInsideOptional, _DefaultConstructible, _Indexable, MinMaxType,
    SortableType, _QueryNumeric,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Date
    public static var _rlmType: PropertyType { .date }
    public static func _rlmFromStored(_ stored: _Stored) -> Date {
        guard case .timestamp(let time) = stored.value else { mismatch(stored.value, self) }
        return Date(time)
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .timestamp(Timestamp(self)) }
}
extension UUID: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = UUID
    public static var _rlmType: PropertyType { .UUID }
    public static func _rlmFromStored(_ stored: _Stored) -> UUID { UUID(stored: stored.value) }
    public func _rlmStored(_ storing: _Storing) -> Value { .uuid(stored) }
}

// MARK: - Foundation classes in aggregates

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
    public typealias PersistedType = NSNumber
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        guard let number = stored.value.plain as? NSNumber else { mismatch(stored.value, self) }
        return unsafeDowncast(number, to: Self.self)
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .double(doubleValue) }
}
extension NSDate: _HasPersistedType, MinMaxType {
    public typealias PersistedType = NSDate
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        let date = Date._rlmFromStored(stored)
        let interval = date.timeIntervalSinceReferenceDate
        return unsafeDowncast(NSDate(timeIntervalSinceReferenceDate: interval), to: Self.self)
    }
    public func _rlmStored(_ storing: _Storing) -> Value {
        .timestamp(Timestamp(Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate)))
    }
}

// MARK: - Instants

extension Date {
    init(_ time: Timestamp) {
        let seconds = Double(time.seconds) - Date.timeIntervalBetween1970AndReferenceDate
        self.init(timeIntervalSinceReferenceDate: seconds + Double(time.nanoseconds) / 1e9)
    }
}

extension Timestamp {
    /// Converts a date, with a precision of a nanosecond. A date outside the range that can be
    /// stored becomes the first or last date in the range.
    init(_ date: Date) {
        let interval = date.timeIntervalSinceReferenceDate
        let whole = interval.rounded(.towardZero)
        let seconds =
            Int64(exactly: whole) ?? (whole.isNaN ? 0 : whole < 0 ? Int64.min / 2 : Int64.max / 2)
        let nanoseconds = Int32(((interval - whole) * 1e9).rounded(.towardZero))
        let epoch = Int64(Date.timeIntervalBetween1970AndReferenceDate)
        let total = seconds + epoch
        // The file format requires seconds and nanoseconds of the same sign.
        if total > 0, nanoseconds < 0 {
            self.init(seconds: total - 1, nanoseconds: nanoseconds + 1_000_000_000)
        } else if total < 0, nanoseconds > 0 {
            self.init(seconds: total + 1, nanoseconds: nanoseconds - 1_000_000_000)
        } else {
            self.init(seconds: total, nanoseconds: nanoseconds)
        }
    }
}

// MARK: - Optionals

extension Optional: OptionalProtocol { public func _rlmInferWrappedType() -> Wrapped { self! } }
extension Optional: _ObjcBridgeable where Wrapped: _ObjcBridgeable {
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        if case .null = stored.value { return nil }
        return Wrapped._rlmOptionalFromStored(stored)
    }
    public func _rlmStored(_ storing: _Storing) -> Value {
        if let self { return self._rlmStored(storing) }
        return .null
    }
    public var _rlmEmbedded: EmbeddedObject? { self?._rlmEmbedded }
    public var _rlmObject: ObjectBase? { self?._rlmObject }
    public var _rlmAny: AnyRealmValue? { self?._rlmAny }
}
extension Optional: _RealmSchemaDiscoverable where Wrapped: _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { Wrapped._rlmType }
    public static var _rlmOptional: Bool { true }
    public static var _rlmShape: _PropertyShape {
        var shape = Wrapped._rlmShape
        shape.isOptional = true
        return shape
    }
}
extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    public typealias PersistedType = Wrapped.PersistedType?
}
extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
    public static func _rlmDefaultValue() -> Self { nil }
    public static func _rlmRecorded(_ recorder: _KeyPathRecording) -> Self {
        guard let type = Wrapped.self as? ObjectBase.Type else { return nil }
        return recorder.object(type) as? Wrapped
    }
    public static func _rlmAdopt(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) { Wrapped._rlmAdoptOptional(at: place, object, property, storing) }
}
extension Optional: _PrimaryKey where Wrapped: _Persistable, Wrapped.PersistedType: _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _Persistable, Wrapped.PersistedType: _Indexable {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
extension Optional: KeypathSortable where Wrapped: KeypathSortable {}
extension Optional: _QueryNumeric
where Wrapped: _Persistable, Wrapped.PersistedType: _QueryNumeric {}
extension Optional: _QueryBinary where Wrapped: _Persistable, Wrapped.PersistedType: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _Persistable, Wrapped.PersistedType: _QueryString {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType & _RealmSchemaDiscoverable {
    public static func _rlmNothing() -> Self { nil }
}
extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {
    public static func _rlmDefaultValue() -> Self { nil }
}
