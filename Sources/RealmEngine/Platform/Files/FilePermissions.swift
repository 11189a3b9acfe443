import Glibc

/// Mode and owner of a file, for files that are created beside a database or as its copy. Free to
/// cross threads.
package struct FilePermissions: Sendable {
    /// The permission bits.
    package let mode: mode_t
    /// Nil for a new file: it belongs to its creator, and the umask of the process restricts its
    /// mode.
    private let owner: (user: uid_t, group: gid_t)?

    /// The permissions of the file at `path`; symbolic links are followed. Nil if there is no file.
    package init?(of path: String) {
        var s = stat()
        guard stat(path, &s) == 0 else { return nil }
        self.init(mode: s.st_mode & 0o777, owner: (s.st_uid, s.st_gid))
    }

    /// Permissions of a new database.
    static var ofNewDatabase: FilePermissions { FilePermissions(mode: 0o644, owner: nil) }

    private init(mode: mode_t, owner: (uid_t, gid_t)?) {
        self.mode = mode
        self.owner = owner
    }

    /// Permissions of a companion file: the database's permissions, but the owner may always read
    /// and write.
    var ofSideFile: FilePermissions {
        FilePermissions(mode: mode & 0o666 | 0o600, owner: owner)
    }

    /// Permissions of a companion directory. Users who may read the database may access files in
    /// the directory.
    var ofSideDirectory: FilePermissions {
        FilePermissions(mode: mode & 0o666 | (mode & 0o444) >> 2 | 0o700, owner: owner)
    }

    /// Mode with which the file is created. If the owner must be changed, the group and others get
    /// no access until `complete` has changed it.
    package var atFirst: mode_t { owner == nil ? mode : mode & 0o700 | 0o600 }

    /// Changes the owner of a file, as far as this process may, and then the mode. The file was
    /// created with the mode `atFirst`. If the file cannot get the right group, its group gets only
    /// the access rights that the mode gives to others.
    package func complete(_ descriptor: Int32) {
        var s = stat()
        guard let (user, group) = owner, fstat(descriptor, &s) == 0 else { return }
        var mode = mode
        if s.st_uid != user || s.st_gid != group, fchown(descriptor, user, group) != 0,
            s.st_gid != group, fchown(descriptor, uid_t.max, group) != 0
        {
            mode &= ~0o070 | (mode & 0o007) << 3
        }
        if s.st_mode & 0o777 != mode { fchmod(descriptor, mode) }
    }

    /// Creates the directory at `path` if it does not exist.
    func makeDirectory(_ path: String) {
        guard mkdir(path, atFirst) == 0 else { return }
        let fd = retryingInterrupts {
            Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard fd >= 0 else { return }
        complete(fd)
        close(fd)
    }
}
