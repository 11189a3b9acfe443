import Glibc
import RealmEngine
import Synchronization
import ToolKit

/// A database file that is created for measuring. It is removed together with its companion files,
/// even if a signal ends the process, unless it is to be kept.
package final class ScratchFile {
    package let path: String
    private let isRetained: Bool
    private var entries: [TemporaryFiles.Entry] = []

    /// Suffixes of SQLite's companion files.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// Paths of this process's scratch files, including files that do not exist yet.
    private static let taken = Mutex<[String]>([])

    /// Chooses an unused file name. Does not create the file.
    package init(_ setting: BenchSetting, name: String, suffix: String = ".realm")
        throws(RealmError)
    {
        let base = "\(setting.directory)/realm-bench-\(getpid())-\(name)"
        path = Self.taken.withLock { taken in
            var path = base + suffix
            var attempt = 1
            while access(path, F_OK) == 0 || taken.contains(path) {
                attempt += 1
                path = "\(base)-\(attempt)\(suffix)"
            }
            taken.append(path)
            return path
        }
        isRetained = setting.keepsFiles
        if isRetained { return }
        entries = ([""] + CompanionFiles.suffixes + Self.companions).map {
            TemporaryFiles.add(path + $0)
        }
    }

    deinit {
        // The lock file is removed, too, because no process has the database open any more.
        CompanionFiles.remove(beside: path)
        for suffix in Self.companions { unlink(path + suffix) }
        if !isRetained { unlink(path) }
        for entry in entries { TemporaryFiles.remove(entry) }
        Self.taken.withLock { $0.removeAll { $0 == path } }
    }

    /// Waits until the whole file is on the disk, so that the measured syncs wait only for the
    /// bytes of their own transactions.
    func sync() throws(RealmError) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw systemFailure(.output, "cannot open", errno: errno, file: path)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw systemFailure(.output, "cannot sync", errno: errno, file: path)
        }
    }

    /// Size of the file in bytes; 0 if it does not exist.
    var size: Int { Self.size(path) }

    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
