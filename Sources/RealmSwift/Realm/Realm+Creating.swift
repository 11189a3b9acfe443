import Foundation
import RealmEngine

extension Object {
    /// Creates an unmanaged object and sets its properties. May be called on any thread.
    ///
    /// Traps if a value does not fit its property, or if an array has more elements than the class
    /// has properties.
    ///
    /// - Parameter value: a dictionary by property name, an array in the order of the properties,
    ///   or an object whose properties of the same names are copied.
    public convenience init(value: Any) {
        self.init()
        InitialValues(value, ClassModel.of(Swift.type(of: self))).apply(to: self)
    }
}

extension EmbeddedObject {
    /// Creates an unmanaged object and sets its properties. May be called on any thread.
    ///
    /// Traps if a value does not fit its property, or if an array has more elements than the class
    /// has properties.
    ///
    /// - Parameter value: a dictionary by property name, an array in the order of the properties,
    ///   or an object whose properties of the same names are copied.
    public convenience init(value: Any) {
        self.init()
        InitialValues(value, ClassModel.of(Swift.type(of: self))).apply(to: self)
    }
}

extension Realm {
    /// Creates an object in the realm, or updates the object with the same primary key.
    ///
    /// Traps outside of a write transaction, if the class is not in the realm, if a value does not
    /// fit, if the primary key exists and `update` is `.error`, and if `update` is another policy
    /// for a class without a primary key.
    ///
    /// - Parameter value: a dictionary by property name, an array in the order of the properties,
    ///   or an object. An update leaves properties without a value unchanged.
    /// - Parameter update: policy for an object whose primary key already exists.
    /// - Returns: the managed object.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> T {
        instance.create(instance.requireClass(type), value, update) as! T
    }
}

extension RealmInstance {
    /// Creates an object of a class, or updates the object with the same primary key. Returns the
    /// managed object.
    func create(
        _ managed: ManagedClass, _ value: Any, _ policy: Realm.UpdatePolicy
    ) -> ObjectBase {
        _ = engine.write
        let model = managed.model
        if model.isEmbedded { throwRealmException("Embedded objects cannot be created directly") }
        if policy != .error, model.primaryKey == nil {
            throwRealmException(
                "'\(model.name)' does not have a primary key and can not be updated")
        }
        return creation(managed, value, policy)
    }

    /// Creates or updates an object as `create` does. Also used for an object inside the values of
    /// another object, whose class may have no primary key.
    func creation(
        _ managed: ManagedClass, _ value: Any, _ policy: Realm.UpdatePolicy
    ) -> ObjectBase {
        let model = managed.model
        if policy != .error, let object = stored(managed, value) { return object }
        let values = InitialValues(value, model)
        let maker = InitialValues.Maker.stored(self, policy)
        if policy != .error, let found = self.object(managed, with: values) {
            if policy == .modified {
                values.update(found, _Storing(self, policy))
            } else {
                values.apply(to: found, maker, isKnown: true)
            }
            return found
        }
        let fresh = model.type.init()
        let refused = values.apply(to: fresh, maker, deferringRefused: true)
        _ = adopt(fresh, _Storing(self, policy))
        for (field, value) in refused { fresh.setValue(value, forKey: field.name) }
        return fresh
    }

    /// Returns the object `value` as an accessor of the class `managed`; nil if `value` is not a
    /// managed object of this class and realm. Traps if the object was deleted.
    private func stored(_ managed: ManagedClass, _ value: Any) -> ObjectBase? {
        guard type(of: value) != [String: Any].self,
            let object = value as? ObjectBase, object.keepAlive === self,
            let handle = object.handle,
            handle.link.table == managed.objects.key
        else { return nil }
        if object.isInvalidated {
            throwRealmException("Object has been deleted or invalidated.")
        }
        return object.managed === managed ? object : managed.accessor(handle, as: ObjectBase.self)
    }

    /// Returns the stored object with the primary key in `values`; nil if there is none.
    private func object(_ managed: ManagedClass, with values: InitialValues) -> ObjectBase? {
        guard let field = managed.model.primaryKey else { return nil }
        let probe = managed.model.type.init()
        if let given = values.value(of: field) {
            probe.setValue(given, forKey: field.name)
        }
        let key = field.wrapper.localValue(at: probe.place(of: field), _Storing(self))
        return attempt { () throws(RealmError) -> ObjectBase? in
            guard let handle = try managed.objects.object(primaryKey: key) else { return nil }
            return managed.accessor(handle, as: ObjectBase.self)
        }
    }
}

extension Realm {
    /// Creates an object of a class that is given by name, or updates the object with the same
    /// primary key.
    ///
    /// Traps under the same conditions as `create(_:value:update:)`, and for a class of embedded
    /// objects.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        let managed = instance.requireClass(named: typeName)
        guard let type = managed.model.type as? Object.Type else {
            throwRealmException("Embedded objects cannot be created directly")
        }
        let made = create(type, value: value, update: update)
        return DynamicObject.of(instance, made.handle!.link)
    }
}

/// Untyped values for the properties of an object, from a dictionary, an array or another object.
struct InitialValues {
    let model: ClassModel
    private(set) var values: [(field: ClassModel.Field, value: Any?)] = []

    /// Treatment of the objects, dictionaries and arrays that are given for links.
    enum Maker {
        /// The values are for an unmanaged object. Given objects are used unchanged; dictionaries
        /// and arrays become unmanaged objects.
        case unmanaged
        /// The values are for an object of a realm. Objects of that realm are used unchanged. Other
        /// objects, dictionaries and arrays are copied into the realm, or become unmanaged objects
        /// that the caller adds to the realm.
        case stored(RealmInstance, Realm.UpdatePolicy)
    }

    /// Assigns the values in a dictionary, array or object to properties. Traps if an array has
    /// more values than the class has properties.
    init(_ value: Any, _ model: ClassModel) {
        self.model = model
        let fields = model.fields.filter { !$0.isLinkingObjects }
        // Compared first, because a cast to a class would convert the dictionary to an object of
        // Foundation.
        if type(of: value) == [String: Any].self, let dictionary = value as? [String: Any] {
            values = fields.compactMap { field in dictionary[field.name].map { (field, $0) } }
            return
        }
        switch value {
        case let object as ObjectBase: values = Self.values(of: object, fields)
        case let dictionary as [String: Any?]:
            values = fields.compactMap { field in
                dictionary[field.name].map { (field, $0) }
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

    private static func values(
        of object: ObjectBase, _ fields: [ClassModel.Field]
    ) -> [(field: ClassModel.Field, value: Any?)] {
        if object.isInvalidated {
            throwRealmException("Object has been deleted or invalidated.")
        }
        let has: (String) -> Bool
        if let object = object as? DynamicObject {
            has = object.hasProperty
        } else {
            let other = ClassModel.of(type(of: object))
            has = { other.field(named: $0) != nil }
        }
        return fields.filter { has($0.name) }.map { ($0, object.value(forKey: $0.name)) }
    }

    func value(of field: ClassModel.Field) -> Any? {
        values.first { $0.field.name == field.name }.flatMap { $0.value }
    }

    /// Sets the properties of `object` to `values`. Returns the values that were not set because of
    /// `defersRefused`, with their properties.
    ///
    /// - Parameter isKnown: whether the object already has its primary key. The primary key is then
    ///   not set again.
    /// - Parameter defersRefused: whether values that the property's type rejects
    ///   (`FailableCustomPersistable`) are returned instead of set. Only a managed object can store
    ///   such values.
    @discardableResult
    func apply(
        to object: ObjectBase, _ maker: Maker = .unmanaged, isKnown: Bool = false,
        deferringRefused defersRefused: Bool = false
    ) -> [(field: ClassModel.Field, value: Any?)] {
        var refused: [(field: ClassModel.Field, value: Any?)] = []
        for (field, value) in values where !isKnown || !field.isPrimaryKey {
            let value = maker.converted(value, field)
            if defersRefused, field.shape.isCustom, !field.isPrimaryKey,
                field.wrapper.isRefused(value)
            {
                refused.append((field, value))
            } else {
                object.setValue(value, forKey: field.name)
            }
        }
        return refused
    }
}

extension InitialValues.Maker {
    /// Converts a value for a property with links: dictionaries, arrays and objects become objects
    /// of the linked class.
    func converted(_ value: Any?, _ field: ClassModel.Field) -> Any? {
        guard let value = value.flatMap({ unwrapped($0) }), !isNull(value) else { return nil }
        guard let target = field.shape.target else {
            return field.shape.type == .any ? copied(value) : value
        }
        switch field.shape.collection {
        case nil: return object(value, target)
        case .list, .set:
            guard let elements = value as? any Sequence, !(value is String) else { return value }
            return all(elements, target)
        case .dictionary:
            guard let entries = Entries.of(value) else { return value }
            return entries.mapValues { object($0, target) }
        }
    }

    /// Returns a value for an `AnyRealmValue`. Objects of other realms in it are copied into the
    /// realm.
    private func copied(_ value: Any) -> Any {
        guard case .stored(let realm, let policy) = self, let value = unwrapped(value) else {
            return value
        }
        switch value {
        case let any as AnyRealmValue: return any.content.map { copied($0) } ?? any
        case let object as ObjectBase:
            guard let keepAlive = object.keepAlive, keepAlive !== realm else { return object }
            return realm.creation(realm.requireClass(named: object.className), object, policy)
        case let list as List<AnyRealmValue>: return Array(list).map { copied($0) }
        case let set as MutableSet<AnyRealmValue>: return Array(set).map { copied($0) }
        case let array as [Any]: return array.map { copied($0) }
        default: return Entries.of(value)?.mapValues { copied($0) } ?? value
        }
    }

    private func all<S: Sequence>(_ elements: S, _ type: ObjectBase.Type) -> [Any] {
        elements.map { object(unwrapped($0) ?? NSNull(), type) }
    }

    /// Returns `value` if it is an object of the class, or an object with the property values in
    /// `value`. Returns a value that does not fit unchanged; setting the property to it traps.
    func object(_ value: Any, _ type: ObjectBase.Type) -> Any {
        if isNull(value) || value is any _CustomPersistable { return value }
        // The property cannot contain an object of another class. Setting the property to it traps.
        if let object = value as? ObjectBase, object.className != ClassModel.of(type).name {
            return value
        }
        switch self {
        case .unmanaged:
            if let object = value as? ObjectBase, Swift.type(of: object) == type { return object }
        case .stored(let realm, let policy):
            if !(type is EmbeddedObject.Type) {
                if let object = value as? ObjectBase, object.keepAlive === realm { return object }
                // Returns a new object unmanaged; the caller adds it after the object that links to
                // it.
                if policy != .error {
                    return realm.creation(realm.requireClass(type), value, policy)
                }
            }
        }
        let made = type.init()
        InitialValues(value, ClassModel.of(type)).apply(to: made, self)
        return made
    }
}
