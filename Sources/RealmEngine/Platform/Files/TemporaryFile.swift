import Glibc

/// An unfinished output file, in the directory in which it will get its final name.
///
/// If the file system supports it, the file has no name and is freed when the process ends for any
/// reason. Otherwise it has a temporary name (`TemporaryName`).
package struct TemporaryFile {
    package let descriptor: Int32
    /// The temporary name; nil for a file without a name.
    private let temporary: TemporaryName?
    private let folder: String
    private let path: String

    /// Creates the file in the directory of `target`.
    ///
    /// - Parameters:
    ///   - path: name of the file in messages.
    ///   - permissions: set before any byte is written; nil for the default permissions of new
    ///     files.
    package init(
        beside target: String, for path: String, permissions: FilePermissions?
    ) throws(RealmError) {
        self.path = path
        folder = directory(of: target)
        let mode = permissions?.atFirst ?? 0o666
        if let unnamed = Self.unnamed(in: folder, mode) {
            descriptor = unnamed
            temporary = nil
        } else {
            var descriptor: Int32 = -1
            temporary = try TemporaryName(in: folder, for: path) { name in
                descriptor = Glibc.open(
                    name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
                return descriptor
            }
            self.descriptor = descriptor
        }
        permissions?.complete(descriptor)
    }

    /// Creates a file without a name to which `linkat` can give one later. Returns nil if that is
    /// not supported.
    private static func unnamed(in folder: String, _ mode: mode_t) -> Int32? {
        let flags = O_RDWR | O_CLOEXEC | File.unnamed
        let descriptor = retryingInterrupts { Glibc.open(folder, flags, mode) }
        guard descriptor >= 0 else { return nil }
        // `linkat` of a descriptor requires privileges; without them, it needs the path in /proc.
        if access(place(of: descriptor), F_OK) == 0 { return descriptor }
        _ = Glibc.close(descriptor)
        return nil
    }

    private static func place(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// A path at which this process can read the file, even if it has no name.
    package var place: String { temporary?.path ?? Self.place(of: descriptor) }

    package static func exists(_ path: String, hint: String? = nil) -> RealmError {
        RealmError(
            .misuse, code: "FileAlreadyExists", reason: "output-exists",
            "the output file exists", file: path, hint: hint)
    }

    /// Gives the file its final name, `target`. The caller must have synced the file. Its
    /// descriptor may already be closed only if the file has a temporary name.
    ///
    /// If `replacing` is false, the name is made as a hard link: `link` fails if a file of that
    /// name was created in the meantime, while `rename` would replace it.
    ///
    /// - Parameters:
    ///   - replacing: whether a file with the name `target` is replaced.
    ///   - isDurable: false if the name need not survive a power failure.
    package func publish(
        as target: String, replacing: Bool, isDurable: Bool = true
    ) throws(RealmError) {
        try name(target, replacing: replacing)
        if isDurable { try syncDirectory(of: target, for: path) }
    }

    private func name(_ target: String, replacing: Bool) throws(RealmError) {
        if !replacing {
            if try link(to: target) {
                temporary?.remove()
                return
            }
            // If the file system has no hard links, the file is renamed and could replace another
            // one. The check for an existing file, made when the output was opened, must then
            // suffice.
        }
        if let temporary {
            try rename(temporary.path, target)
            temporary.unregister()
            return
        }
        // The file has a temporary name for a moment. If the process is killed then, the next
        // `TemporaryName` in the directory removes the file.
        let name = try TemporaryName(in: folder, for: path, opensFile: false) { name in
            linkat(AT_FDCWD, place, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? descriptor : -1
        }
        do throws(RealmError) { try rename(name.path, target) } catch {
            name.remove()
            throw error
        }
        name.unregister()
    }

    /// Gives the file the additional name `target`. Returns false if the file system has no hard
    /// links.
    private func link(to target: String) throws(RealmError) -> Bool {
        if linkat(AT_FDCWD, place, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0 { return true }
        if errno == EEXIST { throw Self.exists(path) }
        return false
    }

    private func rename(_ name: String, _ target: String) throws(RealmError) {
        guard Glibc.rename(name, target) == 0 else {
            throw systemFailure(.output, "cannot rename", errno: errno, file: path)
        }
    }

    /// Closes the descriptor. No more bytes may be written.
    func close() { _ = Glibc.close(descriptor) }

    /// Removes the file if it has a temporary name. A file without a name is freed when its
    /// descriptor is closed.
    package func discard() { temporary?.remove() }
}
