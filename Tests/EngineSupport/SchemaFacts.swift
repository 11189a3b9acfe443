@testable import RealmEngine

/// All that a schema says, to compare two of them.
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

    /// What the version a handle knows says when it is read without knowing one before.
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
