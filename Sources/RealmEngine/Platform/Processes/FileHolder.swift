import Glibc

/// A process that has a database open.
package struct FileHolder: Sendable, Equatable {
    package let process: ProcessIdentity
    package let command: String
    /// The user's name, or the user id if the name is unknown.
    package let user: String
    /// Seconds since the process started.
    package let age: Int
    /// Whether the process has the database file itself open, not only the lock file.
    package let hasDatabase: Bool
    /// Number of descriptors of the lock file that the process has open. Each participant of the
    /// session has one.
    package let participants: Int

    package var pid: UInt32 { process.pid }
}

extension FileHolders {
    /// The processes that have a database or its lock file open, except this process.
    package struct Listing: Sendable {
        /// The processes that have the database or its lock file open, ordered by process id.
        package var openers: [FileHolder] = []
        /// Whether the descriptors of all processes could be read. Descriptors of other users'
        /// processes may be unreadable.
        package var isComplete = true

        /// Result of a search that examined no processes.
        package static let none = Listing(openers: [], isComplete: false)
    }

    /// Searches `/proc` for the processes that have the file at `path`, or its lock file, open
    /// under any name.
    package static func list(database path: String) -> Listing {
        let place = DatabasePath(path)
        let database = FileIdentity(path: place.path)
        let locks = Set(place.locks)
        let users = UserNames()
        var listing = Listing()
        for pid in processes {
            guard let files = openFiles(of: pid) else {
                listing.isComplete = false
                continue
            }
            let participants = files.count { locks.contains($0) }
            let hasDatabase = database.map(files.contains) ?? false
            guard participants > 0 || hasDatabase,
                let process = ProcessIdentity(pid: UInt32(clamping: pid))
            else { continue }
            var status = stat()
            stat("/proc/\(pid)", &status)
            listing.openers.append(
                FileHolder(
                    process: process, command: name(pid), user: users[status.st_uid],
                    age: age(of: process), hasDatabase: hasDatabase, participants: participants))
        }
        return listing
    }

    private static func age(of process: ProcessIdentity) -> Int {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        // The start time in the identity is truncated to 32 bits.
        let ticks = ProcessIdentity.startTicks(of: process.pid) ?? UInt64(process.startTime)
        return age(
            startTicks: ticks, uptime: time.tv_sec, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Seconds since a process started, at least 0.
    ///
    /// - Parameters:
    ///   - startTicks: clock ticks from system start to process start.
    ///   - uptime: seconds since system start.
    static func age(startTicks: UInt64, uptime: Int, ticksPerSecond: Int) -> Int {
        max(0, uptime - Int(clamping: startTicks / UInt64(max(1, ticksPerSecond))))
    }

    /// Returns the files that a process has open; nil if this user has no permission to see them.
    static func openFiles(of pid: Int32) -> [FileIdentity]? {
        let directory = "/proc/\(pid)/fd"
        guard let names = readable(directory) else { return errno == EACCES ? nil : [] }
        return names.compactMap { FileIdentity(path: "\(directory)/\($0)") }
    }
}

/// The names of users, read from `/etc/passwd`. The function of the C library cannot be used in a
/// static executable, because it loads name services.
private struct UserNames {
    private var names: [UInt32: String] = [:]

    init() {
        guard let file = fopen("/etc/passwd", "r") else { return }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        while fgets(&line, 1024, file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 2, let number = UInt32(fields[2]) else { continue }
            if names[number] == nil { names[number] = String(fields[0]) }
        }
    }

    subscript(number: UInt32) -> String { names[number] ?? String(number) }
}
