import Glibc

/// Opens the files that belong to a database and are beside it, such as the lock file. Any process
/// that may write in the directory can put anything there. Therefore symbolic links are not
/// followed, opening never blocks, and files of another kind or with several hard links are
/// refused.
enum CompanionFile {
    /// Opens the file at `path`. If the file is missing and `permissions` are given, creates it as
    /// a companion file of a database with these permissions.
    ///
    /// Returns nil with `errno` set on failure: `ENOENT` for a missing file without `permissions`,
    /// `EEXIST` for a file that is not of the wanted kind (`S_IFREG` or `S_IFIFO`).
    static func descriptor(
        _ path: String, _ flags: Int32, _ kind: mode_t = S_IFREG, in directory: Int32 = AT_FDCWD,
        creating permissions: (() -> FilePermissions)? = nil
    ) -> Int32? {
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        // Another process may create or remove the file between the two calls, so repeat them, a
        // limited number of times.
        for _ in 0..<100 {
            // Open without O_CREAT first: with O_CREAT, the system refuses to open a file of
            // another user in a sticky directory such as /tmp.
            let opened = retryingInterrupts { openat(directory, path, flags) }
            if opened >= 0 { return checked(opened, kind) }
            guard errno == ENOENT, let permissions else { return nil }
            let wanted = permissions().ofSideFile
            let made = retryingInterrupts {
                openat(directory, path, flags | O_CREAT | O_EXCL, wanted.atFirst)
            }
            if made >= 0 {
                wanted.complete(made)
                return made
            }
            if errno != EEXIST { return nil }
        }
        return nil
    }

    private static func checked(_ descriptor: Int32, _ kind: mode_t) -> Int32? {
        var status = stat()
        if fstat(descriptor, &status) == 0, isOwn(status, kind) { return descriptor }
        close(descriptor)
        errno = EEXIST
        return nil
    }

    private static func isOwn(_ status: stat, _ kind: mode_t) -> Bool {
        status.st_mode & S_IFMT == kind && (kind != S_IFREG || status.st_nlink < 2)
    }

    /// Opens the regular file `name` in `directory`. Neither the file nor the directory may be a
    /// symbolic link.
    static func descriptor(
        _ name: String, in directory: String, _ flags: Int32,
        creating permissions: (() -> FilePermissions)? = nil
    ) -> Int32? {
        let folder = retryingInterrupts {
            open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        }
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        return descriptor(name, flags, in: folder, creating: permissions)
    }

    /// Throws if there is a file at `path` that is not of the wanted kind.
    static func check(_ path: String, is kind: mode_t, _ title: String) throws(RealmError) {
        var status = stat()
        guard lstat(path, &status) == 0, !isOwn(status, kind) else { return }
        throw wrongKind(path, status, title)
    }

    private static func wrongKind(_ path: String, _ status: stat, _ title: String) -> RealmError {
        let found =
            switch status.st_mode & S_IFMT {
            case S_IFLNK: "a symbolic link"
            case S_IFDIR: "a directory"
            case S_IFREG: status.st_nlink < 2 ? "a file" : "a file with other names (hard links)"
            case S_IFIFO: "a FIFO"
            default: "a socket or device"
            }
        return RealmError(
            .incompatible, code: "IncompatibleLockFile", reason: "side-file",
            "\(found) lies where the database's \(title) belongs", file: path,
            hint: "remove it when no program has the database open")
    }
}

extension CompanionFile {
    /// Returns at most `limit` bytes from the beginning of the regular file at `path`. Nil if the
    /// file is missing or may not be read.
    static func beginning(of path: String, limit: Int) -> [UInt8]? {
        descriptor(path, O_RDONLY).flatMap { beginning(of: $0, limit: limit) }
    }

    /// Returns at most `limit` bytes from the beginning of the regular file `name` in `directory`.
    /// Nil if the file is missing or may not be read, or if the file or the directory is a symbolic
    /// link.
    static func beginning(of name: String, in directory: String, limit: Int) -> [UInt8]? {
        descriptor(name, in: directory, O_RDONLY).flatMap { beginning(of: $0, limit: limit) }
    }

    private static func beginning(of descriptor: Int32, limit: Int) -> [UInt8]? {
        let file = File(adopting: descriptor, path: "")
        guard let status = try? file.status() else { return nil }
        return [UInt8](unsafeUninitializedCapacity: min(limit, status.size)) { bytes, filled in
            while filled < bytes.count {
                let count = retryingInterrupts {
                    pread(
                        file.descriptor, bytes.baseAddress! + filled, bytes.count - filled,
                        off_t(filled))
                }
                if count <= 0 { break }
                filled += count
            }
        }
    }
}
