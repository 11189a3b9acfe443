import Foundation
import RealmEngine

/// Converts Swift and Foundation values to arguments of a query on one class.
struct PredicateValues {
    let managed: ManagedClass

    func argument(_ any: Any?) -> QueryArgument {
        if let any, let usual = QueryArgument(usual: any) { return usual }
        guard let value = unwrapped(any as Any), !(value is NSNull) else { return .null }
        switch value {
        case let value as ObjectBase: return link(value)
        case let value as AnyRealmValue: return argument(value.content)
        case let value as any (RealmEnum & RawRepresentable): return argument(value.rawValue)
        case let value as any CustomPersistable: return argument(value.persistableValue)
        case let value as any FailableCustomPersistable: return argument(value.persistableValue)
        case let shape as any RLMGeospatial: return .geo(shape.shape)
        default: break
        }
        if let plain = QueryArgument(plain: value) { return plain }
        guard let members = value as? any Sequence else {
            throwRealmException("Invalid value '\(value)' in a predicate")
        }
        return .list(members.map { argument($0) })
    }

    /// Returns an argument for an object. The argument for an unmanaged object is equal to no
    /// stored object.
    private func link(_ object: ObjectBase) -> QueryArgument {
        if let realm = object.keepAlive, let handle = object.handle {
            if realm.engine.database !== managed.realm.engine.database {
                throwRealmException("Object must be from the Realm being queried")
            }
            return .link(handle.link)
        }
        let type = managed.realm.requireClass(type(of: object))
        return .link(ObjectLink(table: type.objects.key, key: .none))
    }
}

extension QueryArgument {
    /// Converts a value of a frequent type without slow dynamic casts; nil for other types.
    init?(usual value: Any) {
        let type = type(of: value)
        if type == Int.self {
            self = .int(Int64(value as! Int))
        } else if type == String.self {
            self = .string(value as! String)
        } else if type == Bool.self {
            self = .bool(value as! Bool)
        } else if type == Double.self {
            self = .double(value as! Double)
        } else if type == Date.self {
            self = .timestamp(Timestamp(value as! Date))
        } else {
            return nil
        }
    }

    /// Converts a value of a type that columns can have; nil for other types.
    init?(plain given: Any) {
        // A Foundation number can be cast to every number type that can represent its value.
        let type = type(of: given)
        switch given {
        case let value as Bool where type == Bool.self: self = .bool(value)
        case let value as any BinaryInteger: self = .int(Int64(truncatingIfNeeded: value))
        case let value as Float where type == Float.self: self = .float(value)
        case let value as Double where type == Double.self: self = .double(value)
        case let value as NSNumber: self.init(number: value)
        case let value as String: self = .string(value)
        case let value as Data: self = .binary([UInt8](value))
        case let value as Date: self = .timestamp(Timestamp(value))
        case let value as UUID: self = .uuid(value.stored)
        case let value as ObjectId: self = .objectID(value.stored)
        case let value as Decimal128: self = .decimal(value.stored)
        default: return nil
        }
    }

    private init(number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case _ where number.isBoolean: self = .bool(number.boolValue)
        case UInt8(ascii: "B"): self = .bool(number.boolValue)
        case UInt8(ascii: "f"): self = .float(number.floatValue)
        case UInt8(ascii: "d"): self = .double(number.doubleValue)
        default: self = .int(number.int64Value)
        }
    }
}
