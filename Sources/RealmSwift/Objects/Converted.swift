import Foundation

/// Whether `value` is an `NSNull`. Only a value of a class is cast: the runtime would first convert
/// any other value, such as a text, to an object of Foundation.
func isNull(_ value: Any) -> Bool { type(of: value) is AnyClass && value is NSNull }

/// Converts untyped values to the type of a property. Key-value access and dictionaries contain
/// untyped values.
enum Converted<Target> {
    /// Converts `value` to `Target`; nil if the value does not fit.
    static func of(_ value: Any?) -> Target? {
        if let optional = Target.self as? any AnyOptional.Type {
            guard let content = value.flatMap({ unwrapped($0) }), !isNull(content) else {
                return optional.nothing as? Target
            }
            return optional.made(of: content).flatMap { $0 as? Target }
        }
        guard let content = value.flatMap({ unwrapped($0) }), !isNull(content) else {
            return nothing
        }
        return plain(content)
    }

    /// The null value of a `Target` that is not optional, such as `AnyRealmValue.none`; nil if
    /// there is none.
    private static var nothing: Target? {
        if Target.self == AnyRealmValue.self { return AnyRealmValue.none as? Target }
        func fallback<C: _CustomPersistable>(_: C.Type) -> Target? {
            // Only custom types that are stored as embedded objects have a null value: their
            // default.
            C.PersistedType.self is EmbeddedObject.Type ? C._rlmDefaultValue() as? Target : nil
        }
        return (Target.self as? any _CustomPersistable.Type).flatMap { fallback($0) }
    }

    /// Unwraps nested optionals. Returns nil for nil and for `NSNull`.
    static func given(_ value: Any?) -> Any? {
        value.flatMap { unwrapped($0) }.flatMap { isNull($0) ? nil : $0 }
    }

    /// Converts the elements of a sequence; nil if an element does not fit, or if `value` is not a
    /// sequence.
    static func all(_ value: Any) -> [Target]? {
        guard let sequence = value as? any Sequence else { return nil }
        var result: [Target] = []
        for element in sequence {
            // A list or set contains no null links, so null does not fit, even if the custom type
            // has a null value.
            let isNull = given(element) == nil && Target.self is any _CustomPersistable.Type
            guard !isNull, let fit = of(element) else { return nil }
            result.append(fit)
        }
        return result
    }

    /// Converts a value that is neither nil nor `NSNull`.
    private static func plain(_ value: Any) -> Target? {
        // A Foundation number can be cast to every Swift number type, and a Swift number to
        // `NSNumber`.
        if type(of: value) == Target.self { return value as? Target }
        if let fit = value as? Target, !(value is NSNumber) { return fit }
        if let type = Target.self as? any (RealmEnum & RawRepresentable).Type {
            return member(type, value)
        }
        if let type = Target.self as? any CustomPersistable.Type { return custom(type, value) }
        if let type = Target.self as? any FailableCustomPersistable.Type {
            return failable(type, value)
        }
        if Target.self == AnyRealmValue.self { return AnyRealmValue(of: value) as? Target }
        if Target.self == Decimal128.self { return decimal(value) as? Target }
        if let number = value as? NSNumber { return of(number: number) }
        if let text = value as? NSString { return (text as String) as? Target }
        if let type = Target.self as? ObjectBase.Type { return object(type, value) as? Target }
        if let member = value as? any (RealmEnum & RawRepresentable) {
            return of(member.rawValue)
        }
        if let custom = value as? any CustomPersistable { return of(custom.persistableValue) }
        if let custom = value as? any FailableCustomPersistable {
            return of(custom.persistableValue)
        }
        return value as? Target
    }

    /// Creates an unmanaged object from a dictionary or array of property values. Converts a
    /// `DynamicObject` of the class to an accessor of the class. Returns nil for other values.
    private static func object(_ type: ObjectBase.Type, _ value: Any) -> ObjectBase? {
        if let dynamic = value as? DynamicObject {
            guard let realm = dynamic.keepAlive, let handle = dynamic.handle,
                dynamic.storedName == ClassModel.of(type).name
            else { return nil }
            return realm.object(type, handle.link)
        }
        guard value is [String: Any?] || value is [Any?] else { return nil }
        let made = type.init()
        InitialValues(value, ClassModel.of(type)).apply(to: made)
        return made
    }

    private static func member<E: RawRepresentable>(_: E.Type, _ value: Any) -> Target? {
        if let fit = value as? Target { return fit }
        return Converted<E.RawValue>.of(value).flatMap { E(rawValue: $0) } as? Target
    }

    private static func custom<C: CustomPersistable>(_: C.Type, _ value: Any) -> Target? {
        if let fit = value as? Target { return fit }
        return Converted<C.PersistedType>.of(value).map { C(persistedValue: $0) } as? Target
    }

    private static func failable<C: FailableCustomPersistable>(
        _: C.Type, _ value: Any
    ) -> Target? {
        if let fit = value as? Target { return fit }
        return Converted<C.PersistedType>.of(value).flatMap { C(persistedValue: $0) } as? Target
    }

    private static func decimal(_ value: Any) -> Decimal128? {
        switch value {
        case let number as Decimal128: number
        case let text as String:
            (try? Decimal128(string: text)).flatMap { $0.isNaN ? nil : $0 }
        case let number as NSNumber: Decimal128(number: number)
        default: nil
        }
    }

    private static func of(number: NSNumber) -> Target? {
        func fit<T>(_ value: T?) -> Target? { value.flatMap { $0 as? Target } }
        if Target.self == Bool.self { return fit(number.truth) }
        if let type = Target.self as? any FixedWidthInteger.Type { return integer(type, number) }
        // An `NSNumber` created from a `Bool` converts to integers, not to floats and doubles.
        if number.isBoolean { return Target.self == NSNumber.self ? number as? Target : nil }
        return fit(number.doubleValue as Double?) ?? fit(number.floatValue as Float?)
            ?? (number as? Target)
    }

    private static func integer<T: FixedWidthInteger>(_: T.Type, _ number: NSNumber) -> Target? {
        if number.isBoolean { return T(exactly: number.boolValue ? 1 : 0) as? Target }
        if let exact = T(exactly: number.int64Value), number.doubleValue == Double(exact) {
            return exact as? Target
        }
        return nil
    }
}

extension NSNumber {
    private static let yes = NSNumber(value: true)
    private static let no = NSNumber(value: false)

    /// Whether the number was created from a `Bool`. Foundation has one object for true and one for
    /// false.
    var isBoolean: Bool { self === Self.yes || self === Self.no }

    /// The number as a Boolean; nil unless the number is 0, 1 or was created from a `Bool`.
    fileprivate var truth: Bool? {
        isBoolean || self == 0 || self == 1 ? boolValue : nil
    }
}

extension AnyRealmValue {
    /// Converts an untyped value; nil if no property can have a value of its type.
    init?(of value: Any) {
        switch value {
        case let value as AnyRealmValue: self = value
        case let number as NSNumber:
            let isBool = Swift.type(of: value) == Bool.self
            if isBool { self = .bool(number.boolValue) } else { self.init(number) }
        case let value as String: self = .string(value)
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as Object: self = .object(value)
        case let value as ObjectId: self = .objectId(value)
        case let value as Decimal128: self = .decimal128(value)
        case let value as UUID: self = .uuid(value)
        case let value as Map<String, AnyRealmValue>: self = .dictionary(value)
        case let value as List<AnyRealmValue>: self = .list(value)
        case let value as [String: Any]:
            guard let entries = Converted<AnyRealmValue>.all(of: value) else { return nil }
            self = .fromDictionary(entries)
        case let value as [Any]:
            guard let elements = Converted<AnyRealmValue>.all(value) else { return nil }
            self = .fromArray(elements)
        default: return nil
        }
    }

    private init(_ number: NSNumber) {
        switch number.objCType.pointee {
        case _ where number.isBoolean: self = .bool(number.boolValue)
        case 0x66: self = .float(number.floatValue)
        case 0x64: self = .double(number.doubleValue)
        default: self = .int(number.intValue)
        }
    }
}

extension Converted {
    /// Converts the values of a dictionary or map; nil if a value does not fit, or if `value` is
    /// neither.
    static func all(of value: Any) -> [String: Target]? {
        var result: [String: Target] = [:]
        guard let entries = Entries.of(value) else { return nil }
        for (key, element) in entries {
            guard let fit = of(element) else { return nil }
            result[key] = fit
        }
        return result
    }
}

/// Reads dictionaries and maps without knowing their generic parameters.
enum Entries {
    /// Returns the entries of a dictionary or map, with null as `NSNull`; nil if `value` is
    /// neither.
    static func of(_ value: Any) -> [String: Any]? {
        if let map = value as? any RealmKeyedCollection { return all(map) }
        return value as? [String: Any]
    }

    private static func all<M: RealmKeyedCollection>(_ map: M) -> [String: Any] {
        var all: [String: Any] = [:]
        for key in map.keys { all["\(key)"] = map[key].flatMap { unwrapped($0) } ?? NSNull() }
        return all
    }
}
