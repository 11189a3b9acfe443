import RealmEngine
import ToolKit

/// One of the two versions that are compared. Confined to the thread of its snapshot.
final class ChangeSide {
    let snapshot: Snapshot
    let renderer: JSONRenderer

    init(_ snapshot: Snapshot, _ values: ValueStyle) {
        self.snapshot = snapshot
        var values = values
        values.isExact = true
        renderer = JSONRenderer(snapshot, values)
    }

    /// Appends the primary key of an object, or its object key in a class without primary key.
    func appendKey(
        _ key: ObjectKey, of table: TableInfo, to out: inout ByteBuffer
    ) throws(RealmError) {
        guard let primaryKey = try renderer.targets[table.key].primaryKey(key) else {
            return out.append(number: key.raw)
        }
        try renderer.append(primaryKey, JSONRenderer.ValueContext(), to: &out)
    }

    /// Appends the given properties of an object as `{…}`.
    func appendObject(
        _ key: ObjectKey, of table: ChangedTable, _ columns: [Int], to out: inout ByteBuffer
    ) throws(RealmError) {
        let target = try renderer.targets[table.info.key]
        let scan = target.borrowScan()
        defer { target.releaseScan() }
        guard let row = try scan.seek(key) else { throw target.missing(key) }
        out.append(UInt8(ascii: "{"))
        for (position, column) in columns.enumerated() {
            if position > 0 { out.append(UInt8(ascii: ",")) }
            out.append(table.name(column))
            out.append(UInt8(ascii: ":"))
            try append(try scan.value(row: row, column: column), of: table.info, column, to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }

    private func append(
        _ value: Value, of table: TableInfo, _ column: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        var context = JSONRenderer.ValueContext()
        context.isWalking = false
        context.isMixed = table.columns[column].type == .mixed
        renderer.beginField()
        try renderer.append(value, context, to: &out)
    }

    /// Appends the value of one property of an object.
    func append(
        _ key: ObjectKey, of table: TableInfo, _ column: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        let target = try renderer.targets[table.key]
        let scan = target.borrowScan()
        defer { target.releaseScan() }
        guard let row = try scan.seek(key) else { throw target.missing(key) }
        try append(try scan.value(row: row, column: column), of: table, column, to: &out)
    }
}
