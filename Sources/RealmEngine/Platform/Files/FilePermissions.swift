import Glibc

/// Who may use a file and who owns it: what a file made beside a database, or as its copy, takes
/// over from it. Free to cross threads.
package struct FilePermissions: Sendable {
    /// The permission bits.
    package let mode: mode_t
    /// Nil for a file that belongs to whoever makes it, as the process's mask says.
    private let owner: (user: uid_t, group: gid_t)?

    /// Those of the file at `path`, a symbolic link followed; nil when there is none.
    package init?(of path: String) {
        var s = stat()
        guard stat(path, &s) == 0 else { return nil }
        self.init(mode: s.st_mode & 0o777, owner: (s.st_uid, s.st_gid))
    }

    /// Those of a database that is yet to be made.
    static var ofNewDatabase: FilePermissions { FilePermissions(mode: 0o644, owner: nil) }

    private init(mode: mode_t, owner: (uid_t, gid_t)?) {
        self.mode = mode
        self.owner = owner
    }

    /// What a file of participants needs: each may read and write what it may do to the database.
    var ofSideFile: FilePermissions {
        FilePermissions(mode: mode & 0o666 | 0o600, owner: owner)
    }

    /// A directory that whoever may read the database may look into.
    var ofSideDirectory: FilePermissions {
        FilePermissions(mode: mode & 0o666 | (mode & 0o444) >> 2 | 0o700, owner: owner)
    }

    /// What to make the file with: until the owner is right, nobody else gets anything.
    package var atFirst: mode_t { owner == nil ? mode : mode & 0o700 | 0o600 }

    /// Gives them to the file behind `descriptor`, which was made with `atFirst`: the owner as far as
    /// this process may, then the bits. A group that could not be kept gets what everybody gets.
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

    /// Makes the directory at `path` where there is none.
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
