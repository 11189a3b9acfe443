/// A migration that is running: the database before the migration, and the database that it changes
/// (API specification 2.14). Confined to the context in which the database is opened, and invalid
/// after the migration.
///
/// Objects keep their keys. Primary keys may be changed, and need not be unique until the migration
/// ends.
public final class Migration {
    /// Schema version of the file before the migration began.
    public let oldVersion: UInt64
    /// A frozen instance of the version before the migration.
    public let old: Instance
    /// The database in its write transaction. It has the classes and properties of the program's
    /// schema, and until the migration ends those that the program removed, too.
    public let new: Instance
    private let wanted: WantedSchema
    private var hasEnded = false

    init(
        _ instance: Instance, _ wanted: WantedSchema, from version: UInt64
    ) throws(RealmError) {
        oldVersion = version
        new = instance
        self.wanted = wanted
        guard let view = instance.view else {
            throw WriteTransaction.migrationFailure("the database has no version to migrate from")
        }
        old = Instance.frozen(try FrozenVersion.of(view), instance.configuration)
    }

    func end() { hasEnded = true }

    private func transaction() throws(RealmError) -> WriteTransaction {
        guard !hasEnded else {
            throw .misuse("the migration has ended", code: "WrongTransactionState")
        }
        return new.write
    }

    /// Throws if class `name` existed before the migration, but did not have `property`. Called
    /// before a property is removed because the program's schema does not have it. If it did not
    /// exist before the migration, `renameProperty` was called with a new name that the program's
    /// schema lacks.
    func checkWasThere(_ property: String, of name: String) throws(RealmError) {
        let info = old.schema.objectClass(named: name)
        guard let info, info.columnIndex(named: property) == nil else { return }
        throw Self.failure(
            "Renamed property '\(name).\(property)' does not exist.", "InvalidProperty")
    }

    /// Renames a property and keeps its values. The new name is the name of a property in the
    /// program's schema, or a temporary name that a later call renames.
    ///
    /// Throws `misuse` without a change if the property does not exist, or if the program's schema
    /// has a property with the old name. Also throws if there is a property with the new name that
    /// has another type, or that is required while the old property is optional.
    @_optimize(size)
    public func renameProperty(
        of name: String, from oldName: String, to newName: String
    ) throws(RealmError) {
        let transaction = try transaction()
        let schema = try transaction.snapshot().schema
        guard let info = schema.objectClass(named: name) else {
            throw Self.refusal(name, "because it does not exist.")
        }
        let present = ClassSpec(info, schema)
        guard let target = wanted.classes.first(where: { $0.name == name }) else {
            throw Self.refusal(name, "because it has been removed from the Realm.")
        }
        let what = "Cannot rename property '\(name).\(oldName)'"
        guard target.property(oldName) == nil else {
            throw Self.failure(
                "\(what) to '\(newName)' because the source property still exists.",
                "IllegalOperation")
        }
        guard let source = present.property(oldName) else {
            throw Self.failure("\(what) because it does not exist.", "InvalidProperty")
        }
        let changes = try Self.changes(what, name, source, newName, present.property(newName))
        for change in changes { try change.apply(transaction) }
    }

    private static func changes(
        _ what: String, _ name: String, _ source: PropertyDescription, _ newName: String,
        _ destination: PropertyDescription?
    ) throws(RealmError) -> [SchemaChange] {
        let rename = SchemaChange.renameProperty(name, source.name, to: newName)
        guard let destination else { return [rename] }
        guard source.hasSameType(as: destination) else {
            throw failure(
                "\(what) to '\(newName)' because it would change from type '\(source.title)' to "
                    + "'\(destination.title)'.", "IllegalOperation")
        }
        guard destination.isOptional || !source.isOptional || !destination.mayChoosePresence else {
            throw failure(
                "\(what) to '\(newName)' because it would change from optional to required.",
                "IllegalOperation")
        }
        let changes = [.dropProperty(name, newName), rename]
        return source.hasOtherPresence(than: destination)
            ? changes + [.setOptional(name, newName, true)] : changes
    }

    /// Deletes all objects of a class, and also the class itself if the program's schema does not
    /// have it. Returns false if there is no such class.
    @discardableResult
    public func deleteObjects(of name: String) throws(RealmError) -> Bool {
        let transaction = try transaction()
        guard let table = transaction.table(named: name) else { return false }
        if wanted.classes.contains(where: { $0.name == name }) {
            try transaction.removeAllObjects(of: [table])
        } else {
            try transaction.removeClass(table)
        }
        return true
    }

    private static func refusal(_ name: String, _ why: String) -> RealmError {
        failure("Cannot rename properties for type '\(name)' \(why)", "NoSuchTable")
    }

    private static func failure(_ message: String, _ code: String) -> RealmError {
        .misuse(message, code: code, reason: "migration")
    }
}
