import RealmEngine
import ToolKit

/// A class in one of the compared versions, with the data for writing its change records. Created
/// once and used for all change records of the class.
final class ChangedTable {
    let info: TableInfo
    let className: String
    /// Indexes of the properties that change records contain, ascending.
    let columns: [Int]
    /// Numbers of insertions, updates and deletions in the class. Shared by the `ChangedTable`s of
    /// both versions.
    let counts: ChangeRecords.Counts
    /// For each column, whether change records contain the property.
    private let isShown: [Bool]
    /// The name of each property in quotation marks. The last piece is the text before the key of
    /// an object: `,"class":"X","key":`.
    private let names: ConstantBytes
    /// For each column, the column with the same name in another version. Cached for the version
    /// that was compared last.
    private var earlier: (table: TableInfo, columns: [Int?])?

    init(_ info: TableInfo, _ request: ChangeRequest, _ counts: ChangeRecords.Counts) {
        self.info = info
        self.counts = counts
        className = info.className
        isShown = info.columns.map { request.shows($0) }
        let isShown = isShown
        columns = info.columns.indices.filter { isShown[$0] }
        var texts = info.columns.map { column in
            var name = ByteBuffer(capacity: 64)
            name.append(json: column.name)
            return [UInt8](name.bytes)
        }
        var prefix = ByteBuffer(capacity: 64)
        prefix.append(",\"class\":")
        prefix.append(json: info.className)
        prefix.append(",\"key\":")
        texts.append([UInt8](prefix.bytes))
        names = ConstantBytes(texts)
    }

    func shows(_ column: Int) -> Bool { isShown[column] }

    /// Returns the quoted name of a property.
    @inline(__always)
    func name(_ column: Int) -> ConstantBytes.Piece { names[column] }

    /// Text before the key of an object: `,"class":"X","key":`.
    var keyPrefix: ConstantBytes.Piece { names[isShown.count] }

    /// Returns the columns of another version that have the same names as `columns`.
    func columns(_ columns: [Int], in table: TableInfo) -> [Int] {
        if earlier?.table !== table {
            earlier = (table, info.columns.map { table.columnIndex(named: $0.name) })
        }
        return columns.compactMap { earlier!.columns[$0] }
    }
}
