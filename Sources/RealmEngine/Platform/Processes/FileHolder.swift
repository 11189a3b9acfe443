import Glibc

/// A process that has a database open.
package struct FileHolder: Sendable, Equatable {
    package let process: ProcessIdentity
    package let command: String
    /// The user's name, or number where no name is known.
    package let user: String
    /// Seconds since the process started.
    package let age: Int
    /// Whether it has the database file itself open.
    package let hasDatabase: Bool
    /// Open descriptors of the lock file: every participant of the session keeps one.
    package let participants: Int

    package var pid: UInt32 { process.pid }
}

extension FileHolders {
    /// The processes that have a database or its lock file open, this one left out.
    package struct Listing: Sendable {
        /// In the order of their ids.
        package var openers: [FileHolder] = []
        /// False when the descriptors of some process could not be read, which may be another
        /// user's.
        package var isComplete = true

        /// Nobody looked.
        package static let none = Listing(openers: [], isComplete: false)
    }

    /// Looks through `/proc` for the processes that have the file at `path` or its lock file open,
    /// by whatever name.
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
        let ticks = max(1, sysconf(Int32(_SC_CLK_TCK)))
        return max(0, time.tv_sec - Int(process.startTime) / ticks)
    }

    /// The files a process has open; nil when that is a secret.
    static func openFiles(of pid: Int32) -> [FileIdentity]? {
        let directory = "/proc/\(pid)/fd"
        guard let names = readable(directory) else { return errno == EACCES ? nil : [] }
        return names.compactMap { FileIdentity(path: "\(directory)/\($0)") }
    }
}

/// The names of users in `/etc/passwd`. The C library would ask services that a static executable
/// cannot load.
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
