import Glibc
import RealmEngine
import ToolKit

/// `--watch`: prints the change records of each commit until the process is ended.
///
/// The version that was reported last stays pinned, so that no change is missed. Several commits
/// may be reported as one. If a lock file cannot be created, the file is watched without writing to
/// it, and the watcher joins the first session that another process begins.
///
/// Each version ends with a mark that contains the previous version. If the previous version can no
/// longer be read, all objects are sent again (resync).
final class ChangeWatch {
    private let request: ChangeRequest
    private let reading: DatabaseReading
    private let output: OutputFile
    private var database: Database
    /// The version whose changes were reported last.
    private var seen: Snapshot
    /// Version of the last `commit` mark that was printed.
    private var marked: UInt64
    /// Fingerprint of the file; nil if unknown.
    private var source: String?
    private let matches = VersionChanges.Matches()
    private var lastLine = MonotonicClock.nanoseconds()

    /// Maximum milliseconds to wait for a commit before the file itself is checked: in a session
    /// (`live`), and without a session (`alone`).
    private static let milliseconds = (live: 20, alone: 5)

    init(_ request: ChangeRequest, _ output: OutputFile) throws(RealmError) {
        self.request = request
        self.output = output
        reading = DatabaseReading(request.request.command)
        try reading.checkKey()
        // The watcher joins a session, or begins one. Otherwise the first writer could overwrite
        // data that was not yet reported.
        if let own = try reading.takePart() {
            database = own
        } else {
            database = try reading.openNewest()
        }
        seen = database.snapshot()
        marked = seen.version
        source = FileFingerprint.text(path: database.path)
    }

    /// Watches the file. Returns only by throwing an error.
    func run() throws(RealmError) -> ExitCode {
        try request.check([seen.schema])
        try begin()
        while true {
            try Self.endWithReader()
            try database.checkPath()
            if database.isShared {
                if try database.waitForCommit(milliseconds: Self.milliseconds.live) {
                    try database.refresh()
                    try report(database)
                }
            } else {
                usleep(UInt32(Self.milliseconds.alone * 1000))
                try lookAgain()
            }
            try beat()
        }
    }

    private func begin() throws(RealmError) {
        let records = records([database])
        if request.isInitial { try appendState(records, seen) }
        marked = request.since?.version ?? seen.version
        records.appendMark("ready", version: marked)
        try flush(records)
        guard let since = request.since else { return }
        if let reason = objection(to: since) {
            try resync(database, reason)
        } else if since.version != seen.version {
            try catchUp(from: since.version, database)
        }
    }

    /// Returns the reason why the changes since the version in `--since` cannot be reported; nil if
    /// they can be reported.
    private func objection(to since: StreamPosition) -> String? {
        if !since.mayShareSource(with: position(seen)) { return "other-database" }
        return since.version > seen.version ? "version-ahead" : nil
    }

    private func position(_ snapshot: Snapshot) -> StreamPosition {
        StreamPosition(snapshot.version, source)
    }

    /// Appends all objects as insertions. Appends the schema first, unless the command restricts
    /// the records to a class or to properties.
    private func appendState(
        _ records: ChangeRecords, _ snapshot: Snapshot
    ) throws(RealmError) {
        // A link of a restricted schema could refer to a class that is not sent.
        if request.className == nil, request.properties == nil {
            for step in SchemaDifference(snapshot.schema, request.scope).steps {
                try records.schema(step, version: snapshot.version)
            }
        }
        try VersionChanges(request: request, records: records).appendAll(snapshot)
    }

    /// Appends the `commit` mark at the end of a version.
    private func mark(_ records: ChangeRecords, _ snapshot: Snapshot) {
        records.appendCommit(from: marked, to: position(snapshot))
        marked = snapshot.version
    }

    /// Reports the changes since the version that was reported last. The changes may belong to
    /// several commits.
    private func report(_ newer: Database) throws(RealmError) {
        let now = newer.snapshot()
        defer { seen = now }
        try append(from: seen, [newer], now)
    }

    private func append(
        from older: Snapshot, _ databases: [Database], _ now: Snapshot
    ) throws(RealmError) {
        let records = records(databases)
        try VersionChanges(request: request, records: records).append(from: older, to: now, matches)
        if records.unmarked > 0 { mark(records, now) }
        try flush(records)
    }

    /// Reports the changes since `version`, which is not pinned. If that version can no longer be
    /// read, sends all objects again.
    private func catchUp(from version: UInt64, _ newer: Database) throws(RealmError) {
        let now = newer.snapshot()
        guard now.version != version else {
            (database, seen) = (newer, now)
            return
        }
        do throws(RealmError) {
            let older = try newer.at(.number(version))
            try append(from: older.snapshot(), [older, newer], now)
            (database, seen) = (newer, now)
        } catch {
            guard
                error.code == "BadVersion" || error.isDamage
                    || DatabaseChange.isBehind(error)
            else { throw error }
            // No mark follows the records that were already written for this version, so a reader
            // of the stream discards them.
            try resync(newer, "history-trimmed")
        }
    }

    /// Sends all objects of the newest version again.
    private func resync(_ newer: Database, _ reason: String) throws(RealmError) {
        let now = newer.snapshot()
        let records = records([newer])
        records.appendResync(from: marked, to: position(now), reason)
        try appendState(records, now)
        records.appendCommit(from: marked, to: position(now))
        try flush(records)
        (database, seen, marked) = (newer, now, now.version)
    }

    /// Checks the file for changes. If a commit happens during the check, the next check reads the
    /// file again.
    private func lookAgain() throws(RealmError) {
        do throws(RealmError) { try look() } catch {
            if !DatabaseChange.isBehind(error) { throw error }
        }
    }

    /// Joins a session if there is one. Otherwise opens the file again if it has changed.
    private func look() throws(RealmError) {
        let newer: Database
        if let live = try reading.takePart() {
            newer = live
        } else if database.hasChanged {
            newer = try reading.openNewest()
        } else {
            return
        }
        let mark = FileFingerprint.text(path: newer.path)
        if mark == source { return try catchUp(from: seen.version, newer) }
        source = mark
        try resync(newer, "other-database")
    }

    private func beat() throws(RealmError) {
        guard let interval = request.heartbeat else { return }
        guard MonotonicClock.hasPassed(max(interval, .nanoseconds(1)), since: lastLine) else {
            return
        }
        let records = records([])
        // A mark is also written after commits without relevant changes, so that a reader which
        // resumes need not read these commits again.
        if marked != seen.version { mark(records, seen) }
        records.appendMark("heartbeat", version: seen.version)
        try flush(records)
    }

    private func records(_ databases: [Database]) -> ChangeRecords {
        ChangeRecords(request, VerifiedOutput(output, databases))
    }

    private func flush(_ records: ChangeRecords) throws(RealmError) {
        let before = output.written
        try records.flush()
        if output.written != before { lastLine = MonotonicClock.nanoseconds() }
        request.request.values.losses.warn(Diagnostics(request.request.command))
    }

    /// Ends the process if the reader of a pipe has closed it. Otherwise that would be noticed only
    /// at the next write.
    private static func endWithReader() throws(RealmError) {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR) != 0 {
            Signals.terminateBySIGPIPE()
        }
    }
}
