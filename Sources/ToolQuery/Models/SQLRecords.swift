import RealmEngine
import RealmRecords
import ToolKit

/// A generator of source code for programs that read the SQLite database that `--format sql`
/// creates: one record type for each table, such as a `struct` for GRDB. Tables and columns have
/// the same names and order as in the SQL statements.
protocol SQLRecords: SchemaForm {
    static var header: String { get }
    /// Names that record types must not have.
    static var reservedTypes: Set<String> { get }
    static var reservedMembers: Set<String> { get }

    static func text(_ record: SQLRecord, _ records: [SQLRecord]) -> String
}

/// An SQL table, with its names in a programming language.
struct SQLRecord {
    let table: SQLTable
    /// Name of the type.
    let name: String
    /// For each column, the name of its member.
    let members: [String]

    /// Returns the member for a column; nil if there is no such column.
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
