import Glibc

/// The files that participants of a session create beside a database. They remain there after the
/// session.
package enum CompanionFiles {
    /// Suffixes that, appended to the database's path, give the paths of its companion files. A
    /// directory comes after the files in it, so that they can be removed in this order.
    package static let suffixes = [".lock", ".note", ".management/readers", ".management"]

    /// Removes the companion files. No process may have the database open.
    package static func remove(beside path: String) {
        remove(suffixes, beside: path)
    }

    /// Removes all companion files except the lock file. The caller must hold the lock on the lock
    /// file; other processes wait for that lock.
    static func removeUnlocked(beside path: String) {
        remove(suffixes.filter { $0 != ".lock" }, beside: path)
    }

    private static func remove(_ suffixes: [String], beside path: String) {
        for suffix in suffixes where unlink(path + suffix) != 0 { rmdir(path + suffix) }
    }
}
