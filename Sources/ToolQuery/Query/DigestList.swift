import RealmEngine
import ToolKit

/// The digests of the classes and of the whole database that `--digest` prints.
enum DigestList {
    static func report(
        _ tables: [TableInfo], _ snapshot: Snapshot,
        progress: (_ total: Int) -> ProgressReporter
    ) throws(RealmError) -> Report {
        var report = Report(
            names: ["class", "objects", "digest"], isNumber: [false, true, false])
        let digest = ContentDigest(snapshot)
        var digests: [UInt64] = []
        let counts = try tables.map { (info) throws(RealmError) in
            try snapshot.table(info).count()
        }
        let total = counts.reduce(0, +)
        var progress = progress(total)
        defer { progress.finish() }
        var done = 0
        for (info, count) in zip(tables, counts) {
            let value = try digest.digest(info) { more in
                done += more
                progress.update(done)
            }
            digests.append(value)
            report.add(info.className, count, value)
        }
        report.add(nil, total, ContentDigest.combined(digests))
        return report
    }
}

extension Report {
    /// Adds a line with a digest.
    ///
    /// - Parameter name: name of the class; nil for the digest of all classes.
    fileprivate mutating func add(_ name: String?, _ count: Int, _ digest: UInt64) {
        var text = ByteBuffer(capacity: 64)
        text.append(hex: digest)
        let cells: [Cell] = [.count(count), .text(text.string)]
        rows.append([.known(name)] + cells)
        tableRows.append([.text(name ?? "(all)")] + cells)
    }
}
