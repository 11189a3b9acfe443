import RealmEngine
import ToolKit

/// Writer of a record type for each table that `--format sql` makes for SQLite. Tables and columns have the
/// same names and the same order as in the statements.
protocol SQLRecords: SchemaForm {
    static var header: String { get }
    /// Names that no record type may have.
    static var reservedTypes: Set<String> { get }
    static var reservedMembers: Set<String> { get }

    static func text(_ record: SQLRecord, _ records: [SQLRecord]) -> String
}

/// A table of SQL with the names it has in a language.
struct SQLRecord {
    let table: SQLTable
    /// Name of the type.
    let name: String
    /// Names of the members, one for each column.
    let members: [String]

    /// Name of the member that holds the column of that name.
    func member(_ column: String) -> String? {
        table.columns.firstIndex { $0.name == column }.map { members[$0] }
    }
}

extension SQLRecords {
    static func append(
        _ subject: SchemaSubject, to out: inout ByteBuffer
    ) throws(RealmError) {
        let schema = try SQLSchema(
            subject.tables, subject.snapshot, .sqlite, isWhole: subject.isWhole)
        var taken = ModelNames(reserved: reservedTypes)
        let records = schema.tables.map { table in
            let name = taken.name(for: table.name)
            var members = ModelNames(reserved: reservedMembers)
            return SQLRecord(
                table: table, name: name, members: table.columns.map { members.name(for: $0.name) })
        }
        out.append(header)
        for record in records { out.append("\n" + text(record, records)) }
    }
}
