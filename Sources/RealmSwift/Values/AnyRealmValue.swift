import Foundation
import RealmEngine

/// A value of any type that a property can have, including lists and dictionaries of such values. A
/// value that contains no managed object or collection may be used on any thread.
///
/// In queries, numbers of different types are compared by value. The `==` of this type also
/// compares the cases: `.int(1)` and `.double(1)` differ.
///
/// ```swift
/// final class Setting: Object {
///     @Persisted(primaryKey: true) var name: String
///     @Persisted var value: AnyRealmValue
/// }
///
/// setting.value = .int(3)
/// if let number = setting.value.intValue { print(number) }
/// setting.value = .fromArray([.string("a"), .none])
/// ```
public enum AnyRealmValue: Hashable {
    /// No value; stored as null.
    case none
    /// An integer.
    case int(Int)
    /// A Boolean.
    case bool(Bool)
    /// A single-precision number.
    case float(Float)
    /// A double-precision number.
    case double(Double)
    /// A text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// An instant.
    case date(Date)
    /// A link to an object that is not embedded.
    case object(Object)
    /// An `ObjectId`.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A `UUID`.
    case uuid(UUID)
    /// A dictionary. If it was read from a managed object, changing it changes the stored
    /// dictionary.
    case dictionary(Map<String, AnyRealmValue>)
    /// A list. If it was read from a managed object, changing it changes the stored list.
    case list(List<AnyRealmValue>)

    /// Creates `none`.
    public init() { self = .none }

    /// The integer; nil for other cases.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    /// The Boolean; nil for other cases.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The single-precision number; nil for other cases.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    /// The double-precision number; nil for other cases.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The text; nil for other cases.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes; nil for other cases.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    /// The instant; nil for other cases.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    /// The `ObjectId`; nil for other cases.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }
    /// The decimal number; nil for other cases.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }
    /// The `UUID`; nil for other cases.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The dictionary; nil for other cases.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The list; nil for other cases.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }

    /// The object if it is of class `objectType`; nil for other classes and cases.
    public func object<T: Object>(_ objectType: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    /// The object as a `DynamicObject`, whose properties are accessed by name. Nil for other cases,
    /// and for an unmanaged object.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self, let realm = object.keepAlive,
            let handle = object.handle
        else { return nil }
        return object as? DynamicObject ?? DynamicObject.of(realm, handle.link)
    }

    /// The associated value of the case; nil for `none`.
    var content: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        }
    }

    /// Creates an unmanaged dictionary with the entries of `dictionary`.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// Creates an unmanaged list with the elements of `array`.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }
}

extension AnyRealmValue: _Persistable, _DefaultConstructible, MinMaxType, AddableType, SortableType,
    _QueryNumeric,
    RealmPropertyType, RealmCollectionValue
{
    public typealias PersistedType = AnyRealmValue
    public static var _rlmType: PropertyType { .any }
    public static func _rlmDefaultValue() -> AnyRealmValue { .none }

    public static func _rlmNothing() -> AnyRealmValue { .none }

    public var _rlmAny: AnyRealmValue? { self }

    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> AnyRealmValue {
        _rlmFromStored(object.placed(Int(property)))
    }

    public static func _rlmFromStored(_ stored: _Stored) -> AnyRealmValue {
        switch stored.value {
        case .null: .none
        case .int(let value): .int(Int(value))
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let bytes): .string(bytes.string)
        case .binary(let bytes): .data(Data(bytes.buffer))
        case .timestamp(let time): .date(Date(time))
        case .decimal(let value): .decimal128(Decimal128(value))
        case .objectID(let value): .objectId(ObjectId(value))
        case .uuid: .uuid(UUID(stored: stored.value))
        case .link(let link): (stored.realm.anyObject(link) as? Object).map { .object($0) } ?? .none
        case .list, .set: .list(stored.collection.map { List($0) } ?? List())
        case .dictionary: .dictionary(stored.collection.map { Map($0) } ?? Map())
        }
    }

    public func _rlmStored(_ storing: _Storing) -> Value {
        switch self {
        case .none: return .null
        case .int(let value): return value._rlmStored(storing)
        case .bool(let value): return value._rlmStored(storing)
        case .float(let value): return value._rlmStored(storing)
        case .double(let value): return value._rlmStored(storing)
        case .string(let value): return value._rlmStored(storing)
        case .data(let value): return value._rlmStored(storing)
        case .date(let value): return value._rlmStored(storing)
        case .object(let value): return value._rlmStored(storing)
        case .objectId(let value): return value._rlmStored(storing)
        case .decimal128(let value): return value._rlmStored(storing)
        case .uuid(let value): return value._rlmStored(storing)
        case .list(let list):
            let elements = Array(list).map { $0._rlmStored(storing) }
            return storing.made { (transaction) throws(RealmError) in
                try transaction.makeList(elements)
            }
        case .dictionary(let map):
            let entries = map.asKeyValueSequence().map {
                (key: $0.key._rlmStored(storing), value: $0.value._rlmStored(storing))
            }
            return storing.made { (transaction) throws(RealmError) in
                try transaction.makeDictionary(entries)
            }
        }
    }
}
