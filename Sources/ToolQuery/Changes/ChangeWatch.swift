import Glibc
import RealmEngine
import ToolKit

/// `--watch`: change records of every commit, as they come, until somebody ends the process.
///
/// The version reported last stays pinned, so nothing is missed however fast others commit; several
/// commits may be reported as one. Where no lock file can be made the file is watched without a
/// trace, and the first session is joined.
///
/// Every version ends with a mark, which says what it goes on from. Where that version cannot be read,
/// the whole state follows.
final class ChangeWatch {
    private let request: ChangeRequest
    private let reading: DatabaseReading
    private let output: OutputFile
    private var database: Database
    /// The version reported last.
    private var seen: Snapshot
    /// The version of the last mark, which the next one goes on from.
    private var marked: UInt64
    /// Which file this is.
    private var source: String?
    private let matches = VersionChanges.Matches()
    private var lastLine = MonotonicClock.nanoseconds()

    /// How long to wait for a signal before looking, with and without a session.
    private static let milliseconds = (live: 20, alone: 5)

    init(_ request: ChangeRequest, _ output: OutputFile) throws(RealmError) {
        self.request = request
        self.output = output
        reading = DatabaseReading(request.request.command)
        try reading.checkKey()
        // A session of our own keeps what the first writer would overwrite before it was seen.
        if let own = try reading.takePart() {
            database = own
        } else {
            database = try reading.openNewest()
        }
        seen = database.snapshot()
        marked = seen.version
        source = FileFingerprint.text(path: database.path)
    }

    /// Never returns but by an error.
    func run() throws(RealmError) -> ExitCode {
        try request.check([seen.schema])
        try begin()
        while true {
            try Self.endWithReader()
            try database.checkPlace()
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

    /// Why the changes since that version are not those that are wanted.
    private func objection(to since: StreamPosition) -> String? {
        if !since.mayShareSource(with: position(seen)) { return "other-database" }
        return since.version > seen.version ? "version-ahead" : nil
    }

    private func position(_ snapshot: Snapshot) -> StreamPosition {
        StreamPosition(snapshot.version, source)
    }

    /// All there is, the schema included where nothing is left out.
    private func appendState(
        _ records: ChangeRecords, _ snapshot: Snapshot
    ) throws(RealmError) {
        // A part has links that may lead elsewhere.
        if request.className == nil, request.properties == nil {
            for step in SchemaDifference(snapshot.schema, request.scope).steps {
                try records.schema(step, version: snapshot.version)
            }
        }
        try VersionChanges(request: request, records: records).appendAll(snapshot)
    }

    /// The version is complete.
    private func mark(_ records: ChangeRecords, _ snapshot: Snapshot) {
        records.appendCommit(from: marked, to: position(snapshot))
        marked = snapshot.version
    }

    /// Reports what happened since the version reported last. A commit may have been overtaken by
    /// others before it was seen.
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

    /// Reports what happened since `version`, which nobody kept for us; where that cannot be known, all
    /// there is.
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
            // What was written of the version has no mark, and does not count.
            try resync(newer, "history-trimmed")
        }
    }

    /// Everything there is now, in the place of what cannot be known.
    private func resync(_ newer: Database, _ reason: String) throws(RealmError) {
        let now = newer.snapshot()
        let records = records([newer])
        records.appendResync(from: marked, to: position(now), reason)
        try appendState(records, now)
        records.appendCommit(from: marked, to: position(now))
        try flush(records)
        (database, seen, marked) = (newer, now, now.version)
    }

    /// A commit that lands while all there is is being read has it read once more.
    private func lookAgain() throws(RealmError) {
        do throws(RealmError) { try look() } catch {
            if !DatabaseChange.isBehind(error) { throw error }
        }
    }

    /// Looks for a session to join, or for a file that changed without one.
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
        // Nothing of what was committed was worth a record: whoever goes on need not look again.
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

    /// A reader that went away is noticed although there is nothing to write.
    private static func endWithReader() throws(RealmError) {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR) != 0 {
            Signals.dieOfBrokenPipe()
        }
    }
}
