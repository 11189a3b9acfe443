import Glibc

/// What the participants of a session leave beside a database.
package enum CompanionFiles {
    /// Added to the database's path; a directory comes after what it holds.
    package static let suffixes = [".lock", ".note", ".management/readers", ".management"]

    /// Removes them; nobody may have the database open.
    package static func remove(beside path: String) {
        remove(suffixes, beside: path)
    }

    /// Removes all but the lock file, which whoever removes them holds: others wait for that one.
    static func removeUnlocked(beside path: String) {
        remove(suffixes.filter { $0 != ".lock" }, beside: path)
    }

    private static func remove(_ suffixes: [String], beside path: String) {
        for suffix in suffixes where unlink(path + suffix) != 0 { rmdir(path + suffix) }
    }
}
