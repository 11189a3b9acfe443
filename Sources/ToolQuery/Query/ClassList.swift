import RealmEngine
import ToolKit

/// The list of classes that `realm-query FILE` prints.
enum ClassList {
    static func report(
        _ tables: [TableInfo], _ snapshot: Snapshot
    ) throws(RealmError) -> Report {
        var report = Report(
            names: ["class", "objects", "embedded", "primaryKey", "properties", "bytes"],
            tableHeadings: ["class", "objects", "primary key", "properties", "data"],
            isNumber: [false, true, false, true, true])
        for info in tables {
            let table = snapshot.table(info)
            let count = try table.count()
            let size = try table.byteSize()
            let key = info.primaryKey.map { info.columns[$0] }
            report.rows.append([
                .text(info.className), .count(count), .flag(info.kind == .embedded),
                .known(key?.name), .count(info.columns.count), .count(size),
            ])
            report.tableRows.append([
                .text(info.className), .count(count), describe(info.kind, key),
                .count(info.columns.count), .text(Quantity.bytes(size)),
            ])
        }
        return report
    }

    private static func describe(_ kind: TableKind, _ key: ColumnInfo?) -> Report.Cell {
        switch kind {
        case .embedded: .text("(embedded)")
        case .asymmetric: .text("(asymmetric)")
        case .topLevel: key.map { .text("\($0.name): \($0.type.name)") } ?? .text("-")
        }
    }
}
