import Glibc

/// Returns the directory part of a path, `.` if it has none.
package func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Syncs the directory of `target`, so that a new name in it is durable. `path` is the file's name
/// in messages.
package func syncDirectory(of target: String, for path: String) throws(RealmError) {
    let fd = retryingInterrupts {
        Glibc.open(directory(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard fd >= 0 else {
        // A directory in which the process may write but not read cannot be opened, and thus not
        // synced.
        if errno == EACCES { return }
        throw systemFailure(.output, "cannot open the directory", errno: errno, file: path)
    }
    defer { _ = Glibc.close(fd) }
    // EINVAL means that the file system cannot sync directories.
    guard retryingInterrupts({ fsync(fd) }) == 0 || errno == EINVAL else {
        throw systemFailure(.output, "cannot sync the directory", errno: errno, file: path)
    }
}

/// Removes the file at `path`, if there is one. Throws `output` on failure.
func removeFile(_ path: String) throws(RealmError) {
    guard unlink(path) == 0 || errno == ENOENT else {
        throw systemFailure(.output, "cannot remove", errno: errno, file: path)
    }
}
