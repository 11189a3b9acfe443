import Foundation
import RealmEngine

/// An object whose class is given by name, for schemas that are not known when the program is
/// compiled.
///
/// Properties are read and set by name. An unknown name traps, and so does setting a value of the
/// wrong type. A `DynamicObject` may be used only on the thread, queue or actor of its realm,
/// unless it is frozen.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") {
///     print(dog["name"] as? String ?? "", dog.age as? Int ?? 0)
/// }
/// ```
@dynamicMemberLookup
public final class DynamicObject: Object {
    private var objects: ObjectClass? { unmodelled }

    /// Returns an accessor of a stored object. The program need not declare the object's class.
    static func of(_ realm: RealmInstance, _ link: ObjectLink) -> DynamicObject {
        let object = DynamicObject()
        attempt { () throws(RealmError) in
            guard let objects = ObjectClass(realm.engine, link.table) else {
                throwRealmException("Object type is not managed by the Realm.")
            }
            object.begin(realm, try ObjectHandle(objects, link.key))
        }
        return object
    }

    /// The value of the property with this name; nil for null. Traps if the class has no such
    /// property, and when set outside of a write transaction.
    public subscript(dynamicMember member: String) -> Any? {
        get { value(forKey: member) }
        set { setValue(newValue, forKey: member) }
    }

    /// Schema of the object's class, from the program or, if the program does not declare the
    /// class, from the file.
    public override var objectSchema: ObjectSchema {
        if let model { return ObjectSchema(model) }
        guard let schema = keepAlive?.engine.schema,
            let info = handle.flatMap({ schema.table($0.link.table) })
        else { return super.objectSchema }
        return ObjectSchema(info, schema)
    }

    /// The class that the program declares for the object; it determines the property names. Nil if
    /// the program declares no such class, and for objects in the state before a migration.
    private var model: ClassModel? {
        guard let keepAlive, !keepAlive.hasStoredNames else { return nil }
        return keepAlive.schema.model(named: storedName)
    }

    func hasProperty(_ key: String) -> Bool { place(of: key) != nil }

    /// Returns the index of a property in the table; nil if there is none.
    ///
    /// - Parameter key: name in the program, or in the file if the program does not declare the
    ///   class.
    private func place(of key: String) -> Int? {
        objects?.property(named: model?.field(named: key)?.column ?? key)
    }

    private func property(_ key: String) -> (ColumnInfo, Int) {
        guard let objects else { throwRealmException("The object is not managed by a Realm.") }
        checkNotInvalidated()
        guard let property = place(of: key) else {
            throwRealmException(
                "Property '\(key)' not found in object of type '\(storedName)'"
                    + KeyPathWalk.messageSuffix)
        }
        return (objects.properties[property], property)
    }

    /// Returns the value of a property; nil for null. Traps if the class has no such property.
    public override func value(forKey key: String) -> Any? {
        let (column, property) = property(key)
        let realm = keepAlive!
        if let kind = column.collection {
            let handle = CollectionHandle(handle!, property)
            let managed = ManagedCollection(realm, handle, kind.title)
            return column.type.collection(kind, managed, isOptional: column.isNullable)
        }
        return attempt { () throws(RealmError) in
            try handle!.follow()
            let any = _Stored(value: try handle!.value(property), realm: realm).any
            return any.flatMap { RealmSwift.plain($0) }
        }
    }

    /// Returns the value of a property, as `value(forKey:)` does.
    public override func value(forUndefinedKey key: String) -> Any? { value(forKey: key) }

    /// Sets a property, as `setValue(_:forKey:)` does.
    public override func setValue(_ value: Any?, forUndefinedKey key: String) {
        setValue(value, forKey: key)
    }

    /// Sets a property. Traps for an unknown name, for a value of the wrong type, and outside of a
    /// write transaction.
    public override func setValue(_ value: Any?, forKey key: String) {
        let (column, property) = property(key)
        let realm = keepAlive!
        _ = realm.engine.forWriting()
        attempt { () throws(RealmError) in
            let storing = _Storing(realm)
            if column.collection != nil {
                try storing.fill(CollectionHandle(handle!, property), column, value)
            } else if let child = storing.embedded(value, column) {
                if try child.isLinked(by: handle!.value(property), in: realm) { return }
                child.checkUnmanaged()
                realm.fill(child, try handle!.makeEmbedded(property), storing)
            } else {
                try handle!.set(property, storing.stored(value, column, key))
            }
        }
    }

    /// Whether this and `object` are accessors of the same stored object.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? DynamicObject, let handle, let theirs = other.handle else {
            return self === object as? DynamicObject
        }
        return keepAlive!.isSame(as: other.keepAlive!) && handle.link == theirs.link
    }

    /// Hash value, equal for accessors of the same stored object.
    public override var hash: Int { handle?.key.raw.hashValue ?? ObjectIdentifier(self).hashValue }

    /// Name of the class in the file.
    var storedName: String {
        objects.flatMap { keepAlive?.engine.schema.table($0.key)?.className } ?? ""
    }

    var properties: [(name: String, value: Any?)] {
        let names =
            model?.fields.filter { !$0.isLinkingObjects }.map(\.name)
            ?? objects?.properties.map(\.name)
        return (names ?? []).map { ($0, value(forKey: $0)) }
    }
}

/// An object of a migration, in its state before or after the migration.
public typealias MigrationObject = DynamicObject

extension _Stored {
    /// The value as a Swift or Foundation value, a list, or an accessor of the linked object; nil
    /// for null.
    var any: Any? {
        guard case .link(let link) = value else { return value.plain }
        return realm.isMigrating || realm.hasStoredNames
            ? DynamicObject.of(realm, link) : realm.anyObject(link)
    }
}

extension Value {
    /// Converts the value to its Swift or Foundation type; nil for null, links and collections.
    var plain: Any? {
        switch self {
        case .null: nil
        case .int(let value): Int(value)
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let bytes): bytes.string
        case .binary(let bytes): Data(bytes.buffer)
        case .timestamp(let time): Date(time)
        case .decimal(let value): Decimal128(value)
        case .objectID(let value): ObjectId(value)
        case .uuid: UUID(stored: self)
        case .link, .list, .set, .dictionary: nil
        }
    }
}

extension CollectionKind {
    /// Name of the collection type in messages.
    fileprivate var title: String {
        switch self {
        case .list: "List"
        case .set: "MutableSet"
        case .dictionary: "Map"
        }
    }
}

extension ColumnType {
    /// Wraps a stored collection in a `List`, `MutableSet` or `Map` whose elements have this column
    /// type.
    fileprivate func collection(
        _ kind: CollectionKind, _ managed: ManagedCollection, isOptional: Bool
    ) -> Any? {
        func of<T: _RealmCollectionValueInsideOptional>(_: T.Type) -> Any {
            isOptional ? Self.made(T?.self, kind, managed) : Self.made(T.self, kind, managed)
        }
        return switch self {
        case .int: of(Int.self)
        case .bool: of(Bool.self)
        case .float: of(Float.self)
        case .double: of(Double.self)
        case .string: of(String.self)
        case .binary: of(Data.self)
        case .timestamp: of(Date.self)
        case .decimal: of(Decimal128.self)
        case .objectID: of(ObjectId.self)
        case .uuid: of(UUID.self)
        case .mixed: Self.made(AnyRealmValue.self, kind, managed)
        case .link where kind == .dictionary: Map<String, DynamicObject?>(managed)
        case .link: Self.made(DynamicObject.self, kind, managed)
        default: nil
        }
    }

    private static func made<T: RealmCollectionValue>(
        _: T.Type, _ kind: CollectionKind, _ managed: ManagedCollection
    ) -> Any {
        switch kind {
        case .list: List<T>(managed)
        case .set: MutableSet<T>(managed)
        case .dictionary: Map<String, T>(managed)
        }
    }
}

extension _Storing {
    /// Converts an untyped value to the stored form of a column. Traps if the value does not fit.
    func stored(_ value: Any?, _ column: ColumnInfo, _ key: String) -> Value {
        guard let given = value.flatMap({ RealmSwift.plain($0) }), !(given is NSNull) else {
            return .null
        }
        if column.type == .mixed, let any = AnyRealmValue(of: given) {
            return any._rlmStored(self)
        }
        if column.type == .link, let object = given as? ObjectBase { return link(object) }
        let type = column.type == .mixed ? nil : PropertyType(column.type)
        if let type, let stored = _PropertyShape(type).stored(given, self) { return stored }
        if let number = given as? NSNumber, let type,
            let stored = _PropertyShape(type).stored(number: number)
        {
            return stored
        }
        throwRealmException(
            "Invalid value '\(given)' of type '\(Swift.type(of: given))' for '\(column.type.name)' property '\(key)'."
        )
    }

    /// Replaces the elements of a collection by the elements of `value`. Traps if an element does
    /// not fit.
    func fill(
        _ handle: CollectionHandle, _ column: ColumnInfo, _ value: Any?
    ) throws(RealmError) {
        if handle.isSame(as: value) { return }
        let given = Converted<Any>.given(value)
        if column.collection == .dictionary {
            guard let entries = given.map({ Entries.of($0) }) ?? [:] else { refuse(column) }
            try handle.removeAll()
            for (key, element) in entries { try set(element, string(key), handle, column) }
        } else {
            guard let elements = given.map({ ($0 as? any Sequence).map { Self.all($0) } }) ?? []
            else { refuse(column) }
            try handle.removeAll()
            for element in elements { try add(element, handle, column) }
        }
    }

    private func refuse(_ column: ColumnInfo) -> Never {
        throwRealmException("Invalid value for collection property '\(column.name)'.")
    }

    private static func all<S: Sequence>(_ elements: S) -> [Any] { Array(elements) }

    private func set(
        _ value: Any, _ key: Value, _ handle: CollectionHandle, _ column: ColumnInfo
    ) throws(RealmError) {
        guard let child = embedded(value, column) else {
            return try handle.set(stored(value, column, column.name), forKey: key)
        }
        child.checkUnmanaged()
        realm.fill(child, try handle.setEmbedded(forKey: key), self)
    }

    private func add(
        _ value: Any, _ handle: CollectionHandle, _ column: ColumnInfo
    ) throws(RealmError) {
        if column.collection == .set {
            _ = try handle.insert(stored(value, column, column.name))
        } else if let child = embedded(value, column) {
            child.checkUnmanaged()
            realm.fill(child, try handle.insertEmbedded(at: handle.count), self)
        } else {
            try handle.append(stored(value, column, column.name))
        }
    }

    /// Returns `value` if it is an embedded object of the column's class, or an object created from
    /// the property values in `value`. Returns nil for a column of another type, and if `value`
    /// does not fit.
    fileprivate func embedded(_ value: Any?, _ column: ColumnInfo) -> ObjectBase? {
        guard column.type == .link, let value = value.flatMap({ RealmSwift.plain($0) }),
            realm.engine.schema.table(column.target)?.kind == .embedded
        else { return nil }
        if let object = value as? ObjectBase {
            let name = realm.engine.schema.table(column.target)?.className
            return object.className == name ? object : nil
        }
        guard value is [String: Any?] || value is [Any?] else { return nil }
        let model = realm.requireClass(column.target).model
        let made = model.type.init()
        InitialValues(value, model).apply(to: made, .stored(realm, .error))
        return made
    }
}

extension CollectionHandle {
    /// Whether `value` is an accessor of this collection.
    fileprivate func isSame(as value: Any?) -> Bool {
        guard let confined = (value as? any ThreadTransferable)?.confined,
            confined.instance === owner.objects.instance,
            case .collection(let link, let column, let path) = confined.target
        else { return false }
        return link == owner.link && column == owner.objects.properties[property].key
            && path == steps
    }
}

extension ObjectBase {
    /// Whether a stored value is a link to this object.
    fileprivate func isLinked(by value: Value, in realm: RealmInstance) -> Bool {
        guard keepAlive === realm, case .link(let link) = value else { return false }
        return link == handle?.link
    }

    fileprivate func checkUnmanaged() {
        if keepAlive != nil {
            throwRealmException("Can't set link to existing managed embedded object")
        }
    }
}

extension _PropertyShape {
    fileprivate func stored(number: NSNumber) -> Value? {
        switch type {
        case .int: .int(number.int64Value)
        case .bool: .bool(number.boolValue)
        case .float: .float(number.floatValue)
        case .double: .double(number.doubleValue)
        default: nil
        }
    }
}
