import Glibc

/// What the participants of a session leave beside a database.
package enum SideFiles {
    /// Added to the database's path; a directory comes after what it holds.
    package static let suffixes = [".lock", ".note", ".management/readers", ".management"]

    /// Removes them; nobody may have the database open.
    package static func remove(beside path: String) {
        for suffix in suffixes where unlink(path + suffix) != 0 { rmdir(path + suffix) }
    }
}
