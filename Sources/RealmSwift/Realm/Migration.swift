import Foundation
import RealmEngine

/// Is called when a file has an older schema version, with the objects before and after at hand.
public typealias MigrationBlock =
    @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// Is called for each object; nil on the side where its class is not.
public typealias MigrationObjectEnumerateBlock = (
    _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

/// A migration while it runs (API specification 2.14). Of no use afterwards.
public final class Migration {
    private let engine: RealmEngine.Migration
    private let old: RealmInstance
    private let new: RealmInstance
    /// Objects that the block deleted.
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

    /// The classes that the file has.
    public var oldSchema: Schema { Schema(old.engine.schema) }

    /// The classes that the program has.
    public var newSchema: Schema { Schema(new.schema) }

    /// Calls `block` for every object of a class. Objects may be deleted meanwhile.
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

    /// Makes an object of a class that the program has.
    @discardableResult
    public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
        let managed = new.requireClass(named: typeName)
        let made = new.creation(managed, value, .error)
        return DynamicObject.of(new, made.handle!.link)
    }

    /// Deletes an object. One that is deleted already is left alone.
    public func delete(_ object: MigrationObject) {
        guard let handle = object.handle else { return }
        deleted.insert(handle.link)
        new.remove(object)
    }

    /// Deletes all objects of a class, and the class if the program does not have it; false when there
    /// is none.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        attempt { () throws(RealmError) in try engine.deleteObjects(of: typeName) }
    }

    /// Keeps the values of a property that the program calls otherwise now.
    public func renameProperty(
        onType typeName: String, from oldName: String, to newName: String
    ) {
        attempt { () throws(RealmError) in
            try engine.renameProperty(of: typeName, from: oldName, to: newName)
        }
    }
}
