import Glibc

/// The directory part of a path, `.` when it has none.
package func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Makes a new name in the directory of `target` durable; `path` is what messages call it.
package func syncDirectory(of target: String, for path: String) throws(RealmError) {
    let fd = retryingInterrupts {
        Glibc.open(directory(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard fd >= 0 else {
        // A directory that may be written but not listed cannot be opened, nor synced.
        if errno == EACCES { return }
        throw systemFailure(.output, "cannot open the directory", errno: errno, file: path)
    }
    defer { _ = Glibc.close(fd) }
    // EINVAL: this file system has no such operation.
    guard fsync(fd) == 0 || errno == EINVAL else {
        throw systemFailure(.output, "cannot sync the directory", errno: errno, file: path)
    }
}

/// Removes the file at `path`. Throws `output` when that cannot be done.
func removeFile(_ path: String) throws(RealmError) {
    guard unlink(path) == 0 || errno == ENOENT else {
        throw systemFailure(.output, "cannot remove", errno: errno, file: path)
    }
}
