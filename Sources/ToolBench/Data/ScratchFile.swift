import Glibc
import RealmEngine
import Synchronization
import ToolKit

/// A database made for measuring: it goes away with everything beside it, also when a signal ends
/// the process, unless it is to be kept.
package final class ScratchFile {
    package let path: String
    private let isKept: Bool
    private var entries: [TemporaryFiles.Entry] = []

    /// What SQLite leaves beside its databases.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// Paths of this process's scratch files, some of which do not exist yet.
    private static let taken = Mutex<[String]>([])

    /// Chooses a name that nobody uses; the file does not exist yet.
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
        isKept = setting.keepsFiles
        if isKept { return }
        entries = ([""] + CompanionFiles.suffixes + Self.companions).map {
            TemporaryFiles.add(path + $0)
        }
    }

    deinit {
        // A lock file means nothing once nobody has the database open.
        CompanionFiles.remove(beside: path)
        for suffix in Self.companions { unlink(path + suffix) }
        if !isKept { unlink(path) }
        for entry in entries { TemporaryFiles.remove(entry) }
        Self.taken.withLock { $0.removeAll { $0 == path } }
    }

    /// Waits until all that was written to the file is on the disk: the syncs that are measured have
    /// their own bytes to wait for then.
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

    /// Bytes of the file; 0 when there is none.
    var size: Int { Self.size(path) }

    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
