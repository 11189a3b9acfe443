import Foundation
import RealmEngine

extension Object {
    /// An object with values for its properties: a dictionary by their names, an array in their order,
    /// or another object that has properties of those names.
    public convenience init(value: Any) {
        self.init()
        InitialValues(value, ClassModel.of(Swift.type(of: self))).apply(to: self)
    }
}

extension EmbeddedObject {
    public convenience init(value: Any) {
        self.init()
        InitialValues(value, ClassModel.of(Swift.type(of: self))).apply(to: self)
    }
}

extension Realm {
    /// Makes an object, or changes the one with the same primary key: only the properties that `value`
    /// gives then. Returns the stored one.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> T {
        let model = ClassModel.of(type)
        if update != .error, model.primaryKey == nil {
            throwRealmException(
                "'\(model.name)' does not have a primary key and can not be updated")
        }
        if let object = value as? T, object.managed?.realm === instance, update != .error {
            return object
        }
        let values = InitialValues(value, model)
        if update != .error, let field = model.primaryKey, let key = values.value(of: field),
            let found = object(ofType: type, forPrimaryKey: key)
        {
            values.apply(to: found, without: field, onlyOthers: update == .modified)
            return found
        }
        let fresh = type.init()
        values.apply(to: fresh)
        add(fresh, update: update)
        return fresh
    }
}

/// Values for the properties of an object, given without types.
struct InitialValues {
    private let model: ClassModel
    private var values: [(field: ClassModel.Field, value: Any?)] = []

    /// Traps for names that the class does not have, and for more values than properties.
    init(_ value: Any, _ model: ClassModel) {
        self.model = model
        let fields = model.fields.filter { !$0.isLinkingObjects }
        switch value {
        case let object as ObjectBase:
            for field in fields
            where ClassModel.of(type(of: object)).field(named: field.name) != nil {
                values.append((field, object.value(forKey: field.name)))
            }
        case let dictionary as [String: Any?]:
            for field in fields {
                if let given = dictionary[field.name] { values.append((field, given)) }
            }
        case let array as [Any?]:
            if array.count > fields.count {
                throwRealmException(
                    "Invalid array input: more values (\(array.count)) than properties (\(fields.count))."
                )
            }
            values = zip(fields, array).map { ($0, $1) }
        default:
            throwRealmException(
                "Invalid value '\(value)' to initialize object of type '\(model.name)'")
        }
    }

    func value(of field: ClassModel.Field) -> Any? {
        values.first { $0.field.name == field.name }.flatMap { $0.value }
    }

    /// - Parameters:
    ///   - key: a property that stays.
    ///   - onlyOthers: what has the value already is not set.
    func apply(
        to object: ObjectBase, without key: ClassModel.Field? = nil, onlyOthers: Bool = false
    ) {
        for (field, value) in values where field.name != key?.name {
            let converted = Self.converted(value, field)
            if onlyOthers, Self.areSame(object.value(forKey: field.name), converted) { continue }
            object.setValue(converted, forKey: field.name)
        }
    }

    private static func areSame(_ a: Any?, _ b: Any?) -> Bool {
        if let a = a as? AnyHashable, let b = b as? AnyHashable { return a == b }
        return a == nil && unwrapped(b as Any) == nil
    }

    /// What stands for an object, or for a collection of objects, becomes that.
    private static func converted(_ value: Any?, _ field: ClassModel.Field) -> Any? {
        guard let value = value.flatMap({ unwrapped($0) }), !(value is NSNull) else { return nil }
        guard let target = field.shape.target else { return value }
        switch field.shape.collection {
        case nil: return object(value, target)
        case .list, .set:
            guard let elements = value as? [Any] else { return value }
            return elements.map { object($0, target) }
        case .dictionary:
            guard let entries = value as? [String: Any] else { return value }
            return entries.mapValues { object($0, target) }
        }
    }

    private static func object(_ value: Any, _ type: ObjectBase.Type) -> Any {
        if value is ObjectBase || value is NSNull { return value }
        let made = type.init()
        InitialValues(value, ClassModel.of(type)).apply(to: made)
        return made
    }
}
