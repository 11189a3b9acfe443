import Glibc
import RealmEngine
import ToolKit

/// `--watch`: change records of every commit, as they come, until somebody ends the process.
///
/// The version reported last stays pinned, so nothing is missed however fast others commit; several
/// commits may be reported as one. Where no lock file can be made the file is watched without a
/// trace, and the first session is joined.
final class ChangeWatch {
    private let request: ChangeRequest
    private let reading: DatabaseReading
    private let output: OutputFile
    private var database: Database
    /// The version reported last.
    private var seen: Snapshot
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
                try look()
            }
            try beat()
        }
    }

    private func begin() throws(RealmError) {
        let records = records([database])
        if request.isInitial {
            // A part has links that may lead elsewhere.
            if request.className == nil, request.properties == nil {
                for step in SchemaDifference(seen.schema, request).steps {
                    try records.schema(step, version: seen.version)
                }
            }
            try VersionChanges(request: request, records: records).appendAll(seen)
        }
        var start = seen.version
        if let since = request.since {
            guard since <= seen.version else {
                throw .misuse(
                    "--since: the database is at version \(seen.version), before \(since)",
                    code: "BadVersion", reason: "version-ahead")
            }
            start = since
        }
        records.appendMark("ready", version: start)
        try flush(records)
        if start != seen.version { try catchUp(from: start, database) }
    }

    /// Reports what happened since the version reported last. A commit may have been overtaken by
    /// others before it was seen.
    private func report(_ newer: Database) throws(RealmError) {
        let now = newer.snapshot()
        defer { seen = now }
        let records = records([newer])
        try VersionChanges(request: request, records: records).append(from: seen, to: now, matches)
        try flush(records)
    }

    /// Reports what happened since `version`, which nobody kept for us; says so when that cannot be
    /// known.
    private func catchUp(from version: UInt64, _ newer: Database) throws(RealmError) {
        let now = newer.snapshot()
        defer { (database, seen) = (newer, now) }
        if now.version == version { return }
        do throws(RealmError) {
            let older = try newer.at(.number(version))
            let records = records([older, newer])
            try VersionChanges(request: request, records: records)
                .append(from: older.snapshot(), to: now, matches)
            try flush(records)
        } catch {
            // Records that were written already told the truth.
            guard
                error.code == "BadVersion" || error.isDamage
                    || DatabaseChange.isBehind(error)
            else { throw error }
            let records = records([])
            records.appendResync(from: version, to: now.version)
            try flush(records)
        }
    }

    /// Looks for a session to join, or for a file that changed without one.
    private func look() throws(RealmError) {
        if let live = try reading.takePart() { return try catchUp(from: seen.version, live) }
        if database.hasChanged { try catchUp(from: seen.version, try reading.openNewest()) }
    }

    private func beat() throws(RealmError) {
        guard let interval = request.heartbeat else { return }
        guard MonotonicClock.hasPassed(max(interval, .nanoseconds(1)), since: lastLine) else {
            return
        }
        let records = records([])
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
