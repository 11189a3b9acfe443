import Foundation
import RealmEngine

/// A block that migrates a file from an older schema version.
///
/// Called on the thread that opens the realm, inside the write transaction of the migration. The
/// objects are used inside the block only.
public typealias MigrationBlock =
    @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// A block that receives each object as it was before and as it is after the migration; nil on the
/// side that does not have its class.
public typealias MigrationObjectEnumerateBlock = (
    _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

/// Access to the objects of a file while its schema version is raised (API specification 2.14).
/// Must not be used after the migration block has returned.
///
/// ```swift
/// let configuration = Realm.Configuration(
///     schemaVersion: 2,
///     migrationBlock: { migration, oldSchemaVersion in
///         guard oldSchemaVersion < 2 else { return }
///         migration.renameProperty(onType: "Dog", from: "title", to: "name")
///         migration.enumerateObjects(ofType: "Dog") { old, new in
///             new?["age"] = (old?["months"] as? Int ?? 0) / 12
///         }
///     })
/// ```
public final class Migration {
    private let engine: RealmEngine.Migration
    private let old: RealmInstance
    private let new: RealmInstance
    /// Objects deleted by the block, which later enumerations skip.
    private var deleted: Set<ObjectLink> = []

    init(
        _ engine: RealmEngine.Migration, _ configuration: Realm.Configuration,
        _ schema: ModelSchema
    ) {
        self.engine = engine
        old = RealmInstance.of(engine.old, configuration, schema)
        new = RealmInstance.of(engine.new, configuration, schema)
        old.hasStoredNames = true
        new.isMigrating = true
    }

    func end() { new.isMigrating = false }

    /// The classes in the file before the migration, under the names that the file has for them.
    public var oldSchema: Schema { Schema(old.engine.schema) }

    /// The classes of the program.
    public var newSchema: Schema { Schema(new.schema) }

    /// Calls `block` with each object of a class, before and after the migration.
    ///
    /// Objects may be deleted meanwhile; objects deleted earlier by this migration are skipped.
    /// Does nothing if neither schema has the class.
    ///
    /// - Parameter typeName: name of the class in the file.
    public func enumerateObjects(
        ofType typeName: String, _ block: MigrationObjectEnumerateBlock
    ) {
        let before = table(typeName, old)
        let after = table(typeName, new)
        let keys = attempt { () throws(RealmError) -> [ObjectKey] in
            if let before { return try old.engine.snapshot().table(before).keys() }
            if let after { return try new.engine.snapshot().table(after).keys() }
            return []
        }
        for key in keys {
            let oldLink = before.map { ObjectLink(table: $0, key: key) }
            let newLink = after.map { ObjectLink(table: $0, key: key) }
            if let newLink, deleted.contains(newLink) { continue }
            let target = newLink.map { DynamicObject.of(new, $0) }
            if target?.isInvalidated == true { continue }
            block(oldLink.map { DynamicObject.of(old, $0) }, target)
        }
    }

    private func table(_ name: String, _ realm: RealmInstance) -> TableKey? {
        realm.engine.snapshot().schema.objectClass(named: name)?.key
    }

    /// Creates an object of a class that the program has.
    ///
    /// Traps if the program does not have the class, or if a value does not fit.
    ///
    /// - Parameter value: values of the properties: a dictionary by name, an array in order, or an
    ///   object.
    @discardableResult
    public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
        let managed = new.requireClass(named: typeName)
        let made = new.creation(managed, value, .error)
        return DynamicObject.of(new, made.handle!.link)
    }

    /// Deletes an object of the new schema. Does nothing if it is already deleted.
    public func delete(_ object: MigrationObject) {
        guard let handle = object.handle else { return }
        deleted.insert(handle.link)
        new.remove(object)
    }

    /// Deletes all objects of a class, and the class itself if the program does not have it.
    ///
    /// - Returns: false if the file does not have the class.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        attempt { () throws(RealmError) in try engine.deleteObjects(of: typeName) }
    }

    /// Keeps the values of a property that has a new name in the program.
    ///
    /// Traps if the class or the old property does not exist in the file, if the program still has
    /// a property of the old name, or if the new property has another type.
    public func renameProperty(
        onType typeName: String, from oldName: String, to newName: String
    ) {
        attempt { () throws(RealmError) in
            try engine.renameProperty(of: typeName, from: oldName, to: newName)
        }
    }
}
