@testable import RealmEngine

/// The complete description of a schema, for comparisons.
struct SchemaFacts: Equatable {
    private let tables: [String]
    private let version: UInt64?

    init(_ schema: Schema) {
        version = schema.version
        tables = schema.tables.map { table in
            let found = schema.table(table.key) === table
            let named = schema.table(named: table.className) === table
            let columns = table.columns.map { column in
                "\(column) \(table.columnIndex(named: column.name) ?? -1)"
            }
            return """
                \(table.key.raw) \(table.name) \(found) \(named) \(table.kind) \(columns)
                \(table.backlinks) \(table.primaryKey ?? -1) \(table.contentVersion)
                \(table.nextSequenceNumber) \(table.columnCounter) \(table.collisions)
                \(table.root) \(table.tombstones) \(table.top) \(table.origin)
                """
        }
    }

    /// Reads the schema of the newest version again, without reusing the previous version's.
    init(readingAgain database: Database) throws(RealmError) {
        let state = database.newest
        guard let top = state.top else {
            self.init(Schema(tables: [], version: nil))
            return
        }
        let read = try VersionState.read(
            database.file.mapping, size: Int(state.limit), format: state.format,
            top: top.ref)
        self.init(read.schema)
    }
}
