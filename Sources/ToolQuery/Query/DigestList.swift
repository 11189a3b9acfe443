import RealmEngine
import ToolKit

/// The digests of classes and of all of them together, what `--digest` prints.
enum DigestList {
    static func report(
        _ tables: [TableInfo], _ snapshot: Snapshot
    ) throws(RealmError) -> Report {
        var report = Report(
            names: ["class", "objects", "digest"], isNumber: [false, true, false])
        let digest = ContentDigest(snapshot)
        var digests: [UInt64] = []
        var total = 0
        for info in tables {
            let value = try digest.digest(info)
            let count = try snapshot.table(info).count()
            digests.append(value)
            total += count
            report.add(info.className, count, value)
        }
        report.add(nil, total, ContentDigest.combined(digests))
        return report
    }
}

extension Report {
    /// - Parameter name: nil for all classes together.
    fileprivate mutating func add(_ name: String?, _ count: Int, _ digest: UInt64) {
        var text = ByteBuffer(capacity: 64)
        text.append(hex: digest)
        let cells: [Cell] = [.number(count), .text(text.string)]
        rows.append([name.map { .text($0) } ?? .null] + cells)
        tableRows.append([.text(name ?? "(all)")] + cells)
    }
}
