import RealmEngine
import ToolKit

/// Results of another program, measured in alternation with this one.
struct PeerReport: Sendable {
    let name: String
    let version: String
    /// Settings of the compared program, such as `journal_mode=WAL` of SQLite.
    let settings: String
    fileprivate(set) var results: [WorkloadResult] = []
}

/// Runs workloads with the `sqlite3` program, with the same objects in the same order.
///
/// The objects are prepared in a separate database and copied from there, so that SQLite spends no
/// time on parsing them. A batch of operations is one statement. These are the best conditions for
/// SQLite: an application would need additional time for each statement. Confined to one thread.
final class SQLitePeer {
    private let setting: BenchSetting
    private let schema: String
    private let staged: ScratchFile
    private(set) var report: PeerReport

    private static let program = "sqlite3"
    private static let mark = "realm-bench: done"

    /// Fills the database from which the runs copy persons and dogs (the stage). Throws `input` if
    /// there is no `sqlite3` program.
    ///
    /// - Parameter workloads: workloads of the measurement. The stage gets only the data that their
    ///   counterparts in SQL use.
    init(
        _ peer: BenchPeer, _ setting: BenchSetting, _ workloads: [WorkloadPlan]
    ) throws(RealmError) {
        self.setting = setting
        let hasInverse = peer == .inverse
        schema = SQLiteScript.schema + (hasInverse ? SQLiteScript.inverse : "")
        staged = try ScratchFile(setting, name: "staged", suffix: ".sqlite")
        let child = try ChildProcess(Self.program, ["-batch", "-bail", staged.path])
        let version = try Self.ask("SELECT sqlite_version();", child).first ?? "unknown"
        let synchronous = setting.isDurable ? "FULL" : "OFF"
        report = PeerReport(
            name: Self.program, version: version,
            settings: "journal_mode=WAL synchronous=\(synchronous)"
                + (hasInverse ? ", links indexed both ways" : ""))
        let scripts = workloads.compactMap { SQLiteScript.named($0.name) }
        try SQLiteStage(setting, scripts).fill(child)
        _ = try Self.ask("", child)
    }

    /// Runs the SQL of a workload once. Does nothing if there is no `SQLiteScript` for the
    /// workload.
    func run(_ name: String) throws(RealmError) {
        guard let script = SQLiteScript.named(name) else { return }
        let scratch = try ScratchFile(setting, name: name, suffix: ".sqlite")
        let child = try ChildProcess(Self.program, ["-batch", "-bail", scratch.path])
        let synchronous = setting.isDurable ? "FULL" : "OFF"
        _ = try Self.ask(
            """
            PRAGMA journal_mode=WAL;
            PRAGMA synchronous=OFF;
            ATTACH '\(SQLiteScript.quoted(staged.path))' AS stage;
            \(schema)
            \(script.isFull ? SQLiteScript.fill : "")
            PRAGMA wal_checkpoint(TRUNCATE);
            PRAGMA synchronous=\(synchronous);
            """, child)
        let run = try measure(script, scratch, child)
        let found = try Self.ask("SELECT count(*) FROM person;", child).first
        guard found == String(script.finalCount(setting)) else {
            throw .failedCheck("\(name): sqlite3 has \(found ?? "no") people at the end")
        }
        child.end()
        if !report.results.contains(where: { $0.name == name }) {
            report.results.append(WorkloadResult(name: name))
        }
        let index = report.results.firstIndex { $0.name == name }!
        report.results[index].add(run, Meter())
    }

    private func measure(
        _ script: SQLiteScript, _ scratch: ScratchFile, _ child: ChildProcess
    ) throws(RealmError) -> RunStatistics {
        var storage = StorageStatistics()
        storage.sizeAtStart = scratch.size
        let before = child.written
        let began = MonotonicClock.nanoseconds()
        _ = try Self.ask(script.text(setting), child)
        let elapsed = MonotonicClock.nanoseconds() &- began
        let after = child.written
        storage.sizeAtEnd = scratch.size + ScratchFile.size(scratch.path + "-wal")
        storage.bytesWritten = after.calls - before.calls
        storage.commits = script.commits(setting)
        var usage = ResourceUsage()
        usage.bytesWritten = after.storage - before.storage
        return RunStatistics(
            operations: script.operations(setting), elapsed: elapsed, usage: usage,
            peakMemory: child.peakMemory, storage: script.writes ? storage : nil)
    }

    /// Sends statements and waits until they have been executed. Returns the lines that they
    /// printed.
    private static func ask(
        _ text: String, _ child: ChildProcess
    ) throws(RealmError) -> [String] {
        var buffer = ByteBuffer(capacity: 256 + text.utf8.count)
        // Only short texts are queries whose output is read.
        let isQuestion = text.utf8.count < 100
        if isQuestion { buffer.append(".output /dev/stderr\n") }
        buffer.append(text)
        // `sqlite3` buffers its output until the output file is closed, which `.output` does.
        buffer.append("\n.output /dev/stderr\n.print ")
        buffer.append(mark)
        buffer.append("\n.output\n")
        try child.send(buffer)
        return try child.lines(until: mark)
    }
}
