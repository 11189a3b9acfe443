import Glibc

/// The files that a session's participants create beside a database and leave there.
package enum CompanionFiles {
    /// Suffixes of the database's path; a directory comes after its contents.
    package static let suffixes = [".lock", ".note", ".management/readers", ".management"]

    /// Removes the companion files; no process may have the database open.
    package static func remove(beside path: String) {
        remove(suffixes, beside: path)
    }

    /// Removes all companion files but the lock file. The caller holds the lock file, for which
    /// other processes wait.
    static func removeUnlocked(beside path: String) {
        remove(suffixes.filter { $0 != ".lock" }, beside: path)
    }

    private static func remove(_ suffixes: [String], beside path: String) {
        for suffix in suffixes where unlink(path + suffix) != 0 { rmdir(path + suffix) }
    }
}
