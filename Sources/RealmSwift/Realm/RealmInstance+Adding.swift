import Foundation
import RealmEngine

/// Adds unmanaged objects to the realm, and deletes objects.
extension RealmInstance {
    /// Deletes a stored object. Does nothing if it is already deleted or its realm was invalidated.
    func remove(_ object: ObjectBase) {
        guard !object.isInvalidated, let handle = object.handle else { return }
        attempt { () throws(RealmError) in try handle.remove() }
    }

    /// Deletes stored objects of one Swift class in one pass, with the same effect as `remove` for
    /// each of them.
    func remove(run objects: ArraySlice<some ObjectBase>) {
        let handles = objects.filter { !$0.isInvalidated }.compactMap(\.handle)
        guard let first = handles.first else { return }
        // `DynamicObject` accessors, which share one Swift class, may belong to several tables.
        guard handles.allSatisfy({ $0.objects === first.objects }) else {
            for object in objects { remove(object) }
            return
        }
        attempt { () throws(RealmError) in try first.objects.remove(handles.map(\.key)) }
    }

    /// Returns a link to `object`. An unmanaged object is added first. Traps for an object of
    /// another realm, and for a deleted object.
    func adopt(_ object: ObjectBase, _ storing: _Storing) -> ObjectLink {
        if let keepAlive = object.keepAlive, let handle = object.handle {
            guard keepAlive === self else {
                throwRealmException(
                    "Object is already managed by another Realm. Use create instead to copy it into "
                        + "this Realm.")
            }
            if object.isInvalidated {
                throwRealmException(
                    "Adding a deleted or invalidated object to a Realm is not permitted")
            }
            return handle.link
        }
        return add(object, storing)
    }

    /// Stores an unmanaged object and makes it an accessor of the stored object.
    @discardableResult
    func add(_ object: ObjectBase, _ storing: _Storing) -> ObjectLink {
        guard !(object is EmbeddedObject) else {
            throwRealmException("Embedded objects cannot be created directly")
        }
        let managed = requireClass(type(of: object))
        return attempt { () throws(RealmError) in
            let key = try place(of: object, managed, storing)
            let handle = try ObjectHandle(managed.objects, key)
            adopt(object, managed, handle, storing)
            return handle.link
        }
    }

    /// Stores the values of an unmanaged `object` in the stored object at `key`, and makes it an
    /// accessor of that object.
    func fill(_ object: ObjectBase, _ key: ObjectKey, _ storing: _Storing) {
        let managed = requireClass(type(of: object))
        attempt { () throws(RealmError) in
            adopt(object, managed, try ObjectHandle(managed.objects, key), storing)
        }
    }

    /// Whether the table has a primary key. During a migration, the table of a class with a primary
    /// key may not have one yet.
    private func hasKey(_ managed: ManagedClass) -> Bool {
        !isMigrating || engine.schema.table(managed.objects.key)?.primaryKey != nil
    }

    /// Returns the key of the stored object that has the primary key of `object`. Creates an object
    /// if there is none, or if the class has no primary key.
    private func place(
        of object: ObjectBase, _ managed: ManagedClass, _ storing: _Storing
    ) throws(RealmError) -> ObjectKey {
        let table = managed.objects.key
        guard let field = managed.model.primaryKey, hasKey(managed) else {
            return try engine.write.create(in: table)
        }
        let value = field.wrapper.localValue(at: object.place(of: field), storing)
        let (key, isNew) = try engine.write.place(in: table, primaryKey: value)
        guard isNew || storing.policy != .error else {
            throwRealmException(
                "Attempting to create an object of type '\(managed.model.name)' with an existing "
                    + "primary key value '\(value.text)'.")
        }
        return key
    }

    private func adopt(
        _ object: ObjectBase, _ managed: ManagedClass, _ handle: ObjectHandle, _ storing: _Storing
    ) {
        // Makes the unmanaged object an accessor before its properties are stored, so that objects
        // which link back to it do not add it again.
        managed.bind(object, handle.key, handle.place, isAdopted: true)
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (i, column) in managed.columns.enumerated() {
            guard let property = column.property, !column.isPrimaryKey || !hasKey(managed) else {
                managed.attach(i, of: object)
                continue
            }
            column.wrapper.adopt(from: base + column.offset, object, UInt16(property), storing)
        }
    }
}

extension Value {
    /// The value as text for messages.
    var text: String {
        switch self {
        case .null: "(null)"
        case .int(let number): "\(number)"
        case .string(let bytes): bytes.string
        case .uuid: "\(UUID(stored: self))"
        case .objectID(let id): ObjectId(id).stringValue
        default: "\(self)"
        }
    }
}
