/// Updates the classes of an open database to a program's classes (API specification 2.14).
struct SchemaUpdate {
    private let wanted: WantedSchema

    init(_ wanted: WantedSchema) { self.wanted = wanted }

    /// Updates the schema in one write transaction, unless it is up to date. Other processes see
    /// the schema either before or after.
    ///
    /// Throws `misuse` if the file has a newer schema version, or differs in a way that requires a
    /// migration. Rethrows errors of the migration.
    func run(on instance: Instance) throws(RealmError) {
        if try isDone(instance.snapshot().schema) { return }
        guard !instance.isInWriteTransaction else {
            throw .misuse(
                "the classes of a database cannot change in an open write transaction",
                code: "WrongTransactionState")
        }
        try instance.write { (transaction) throws(RealmError) in
            // Another process may have updated the schema before this process got the write lock.
            if try isDone(instance.snapshot().schema) { return instance.cancelWrite() }
            try update(instance, transaction)
        }
    }

    /// Whether the file should be replaced by an empty database, because it has another schema
    /// version or requires a migration.
    func needsNewFile(_ schema: Schema) -> Bool {
        guard case .recreate = wanted.path, let version = schema.version else { return false }
        return version != wanted.version || difference(schema).needsMigration
    }

    /// Throws `misuse` if a database that is opened for reading only has another schema version
    /// than the program, or lacks properties that it needs.
    func checkReadable(_ schema: Schema) throws(RealmError) {
        if let version = schema.version, version != wanted.version {
            throw Self.mismatch(
                "Provided schema version \(wanted.version) does not equal last set version \(version)."
            )
        }
        let hindrances = difference(schema).changes.filter(\.hindersReading)
        guard hindrances.isEmpty else {
            throw Self.mismatch(
                "The following changes cannot be made in read-only schema mode:", hindrances)
        }
    }

    // MARK: Required changes

    private func difference(_ schema: Schema) -> ModelDifference {
        ModelDifference(schema, wanted: wanted.classes)
    }

    private func isDone(_ schema: Schema) throws(RealmError) -> Bool {
        let difference = difference(schema)
        if schema.version == wanted.version, difference.isEmpty { return true }
        if let version = schema.version, version > wanted.version {
            throw Self.mismatch(
                "Provided schema version \(wanted.version) is less than last set version \(version)."
            )
        }
        // A file without a schema version may be updated whenever its classes require no migration.
        if schema.version == nil || schema.version == wanted.version {
            try Self.checkNeedsNoMigration(difference, of: schema)
        }
        return false
    }

    private static func checkNeedsNoMigration(
        _ difference: ModelDifference, of schema: Schema
    ) throws(RealmError) {
        let changes = difference.changes.filter(\.needsMigration)
        guard changes.isEmpty else {
            throw mismatch("Migration is required due to the following errors:", changes)
        }
    }

    private func update(
        _ instance: Instance, _ transaction: WriteTransaction
    ) throws(RealmError) {
        let schema = try transaction.snapshot().schema
        let difference = difference(schema)
        if let version = schema.version, version < wanted.version {
            try migrate(instance, transaction, difference, from: version)
        } else {
            try apply(Self.preparation(difference), to: transaction)
        }
        try transaction.setSchemaVersion(wanted.version)
    }

    // MARK: Migrating

    private func migrate(
        _ instance: Instance, _ transaction: WriteTransaction, _ difference: ModelDifference,
        from version: UInt64
    ) throws(RealmError) {
        let migration = try Migration(instance, wanted, from: version)
        transaction.defersKeys = true
        defer { transaction.defersKeys = false }
        try apply(Self.preparation(difference), to: transaction)
        if case .migrate(let body?) = wanted.path {
            defer { migration.end() }
            try body(migration)
            guard instance.transaction === transaction else {
                throw WriteTransaction.migrationFailure(
                    "the migration ended its write transaction")
            }
        }
        let rest = self.difference(try transaction.snapshot().schema)
        try apply(try completion(rest, migration), to: transaction)
        try transaction.checkPrimaryKeys()
    }

    @_optimize(size)
    private func apply(
        _ changes: [MigrationStep], to transaction: WriteTransaction
    ) throws(RealmError) {
        for change in changes { try change.apply(transaction) }
    }

    /// Steps before the migration: they add new classes and properties. Old properties are kept
    /// while the migration runs.
    private static func preparation(_ difference: ModelDifference) -> [MigrationStep] {
        additions(difference)
            + difference.changes.flatMap { (change) -> [MigrationStep] in
                switch change {
                case .addClass, .changeKind, .removeProperty: []
                case .addProperty(let name, let property): [.change(.addProperty(name, property))]
                case .changeType(let name, _, let property): [.replaceProperty(name, property)]
                case .changePresence(let name, let property):
                    property.isOptional
                        ? [.change(.setOptional(name, property.name, true))]
                        : [.replaceProperty(name, property)]
                case .changeIndex(let name, let property):
                    [.change(.setIndex(name, property.name, property.index))]
                case .changePrimaryKey(let name, _, _): [.change(.setPrimaryKey(name, nil))]
                }
            }
    }

    /// Steps that add the classes first and then their properties, because a property may link to
    /// any of the new classes.
    private static func additions(_ difference: ModelDifference) -> [MigrationStep] {
        let classes = difference.changes.compactMap { (change) -> ClassSpec? in
            if case .addClass(let spec) = change { spec } else { nil }
        }
        return classes.map { .change(.addClass($0)) }
            + classes.flatMap { spec in
                spec.properties.filter { $0.name != spec.primaryKey }
                    .map { .change(.addProperty(spec.name, $0)) }
            }
    }

    /// Steps after the migration, in an order in which each is possible: additions and indexes,
    /// removals of properties, primary keys, and last the kinds of classes.
    private func completion(
        _ difference: ModelDifference, _ migration: Migration
    ) throws(RealmError) -> [MigrationStep] {
        var (removals, keys, kinds): ([MigrationStep], [MigrationStep], [MigrationStep]) = (
            [], [], []
        )
        var others = Self.additions(difference)
        for change in difference.changes {
            switch change {
            case .addClass: continue
            case .removeProperty(let name, let property):
                try migration.checkWasThere(property.name, of: name)
                removals.append(.change(.dropProperty(name, property.name)))
            case .addProperty(let name, let property):
                others.append(.change(.addProperty(name, property)))
            case .changeIndex(let name, let property):
                others.append(.change(.setIndex(name, property.name, property.index)))
            case .changePrimaryKey(let name, _, let key):
                keys.append(.change(.setPrimaryKey(name, key)))
            case .changeKind(let name, _, let kind): kinds.append(.change(.setKind(name, kind)))
            case .changeType, .changePresence:
                throw Self.mismatch("Migration is required due to the following errors:", [change])
            }
        }
        return others + removals + keys + kinds
    }

    // MARK: Errors

    private static func mismatch(
        _ message: String, _ changes: [ModelDifference.Change] = []
    ) -> RealmError {
        .misuse(
            ([message] + changes.map { "- " + $0.message }).joined(separator: "\n"),
            code: "SchemaMismatch", reason: "schema")
    }
}
