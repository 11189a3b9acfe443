import Glibc

/// The lock file held exclusively: proof that no participant has the database open, and a wait for
/// every opener that comes (storage format 6.4).
///
/// The lock belongs to the open file description and ends with it, also when the process dies.
final class SoloLock {
    private let descriptor: Int32
    let path: String

    /// Takes the lock of the database at `databasePath`; throws `busy` when somebody has it open.
    init(databasePath: String) throws(RealmError) {
        path = databasePath + ".lock"
        let path = path
        let fd = retryingInterrupts { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644) }
        guard fd >= 0 else { throw systemError("open", path, errno: errno) }
        guard retryingInterrupts({ flock(fd, LOCK_EX | LOCK_NB) }) == 0 else {
            let code = errno
            close(fd)
            guard code == EWOULDBLOCK else { throw systemError("flock", path, errno: code) }
            throw Self.busy(Openers.processes(of: path))
        }
        descriptor = fd
        // What an earlier session left means nothing any more; the next one writes its own.
        ftruncate(fd, 0)
    }

    deinit { close(descriptor) }

    private static func busy(_ openers: [String]) -> RealmError {
        let names = openers.isEmpty ? "another process" : openers.joined(separator: ", ")
        return RealmError(
            .busy, code: "FileBusy", reason: "open-elsewhere",
            "\(names) has the database open",
            hint: "close it there, or try again later")
    }
}
