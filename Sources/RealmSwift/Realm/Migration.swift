import Foundation
import RealmEngine

/// A block that migrates a file from an older schema version.
///
/// Called on the thread that opens the realm, inside the write transaction of the migration. The
/// objects must not be used after the block has returned.
public typealias MigrationBlock =
    @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// A block that receives each object in its state before and after the migration. One of the two is
/// nil if the old or the new schema does not have the class.
public typealias MigrationObjectEnumerateBlock = (
    _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

/// Gives a migration block access to the objects of a file, before and after the change of the
/// schema (API specification 2.14). To be used only inside the block, on its thread.
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
    /// Objects that the migration block has deleted. Later calls of `enumerateObjects` skip them.
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

    /// The classes in the file before the migration, with the names that they and their properties
    /// have in the file.
    public var oldSchema: Schema { Schema(old.engine.schema) }

    /// The classes of the program, to which the file is migrated.
    public var newSchema: Schema { Schema(new.schema) }

    /// Calls `block` for each object of a class, in its state before and after the migration.
    ///
    /// The block may delete objects. Objects that were already deleted by this migration are
    /// skipped. Does nothing if neither schema has the class.
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

    /// Creates an object of a class of the new schema.
    ///
    /// Traps if the program does not declare the class, or if a value does not fit.
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

    /// Deletes all objects of a class. Also deletes the class itself, if the program does not
    /// declare it.
    ///
    /// - Returns: false if the file does not have the class.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        attempt { () throws(RealmError) in try engine.deleteObjects(of: typeName) }
    }

    /// Renames a property, so that it keeps its values under its new name in the program.
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
