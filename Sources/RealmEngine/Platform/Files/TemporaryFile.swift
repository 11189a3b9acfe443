import Glibc

/// An unfinished output file in the directory of its final name.
///
/// Where the file system supports it, the file has no name and vanishes when the process ends for
/// any reason. Elsewhere it has a temporary name (`TemporaryName`).
package struct TemporaryFile {
    package let descriptor: Int32
    /// Nil for a file without a name.
    private let temporary: TemporaryName?
    private let folder: String
    private let path: String

    /// Creates the file in the directory of `target`.
    ///
    /// - Parameters:
    ///   - path: name of the file in messages.
    ///   - permissions: applied from the first byte; nil for the default of new files.
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

    /// Creates a file without a name that can be linked later; returns nil if that is not
    /// supported.
    private static func unnamed(in folder: String, _ mode: mode_t) -> Int32? {
        let flags = O_RDWR | O_CLOEXEC | File.unnamed
        let descriptor = retryingInterrupts { Glibc.open(folder, flags, mode) }
        guard descriptor >= 0 else { return nil }
        // Without privileges, linkat needs the name in /proc.
        if access(place(of: descriptor), F_OK) == 0 { return descriptor }
        _ = Glibc.close(descriptor)
        return nil
    }

    private static func place(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// A path by which this process can read the file.
    package var place: String { temporary?.path ?? Self.place(of: descriptor) }

    package static func exists(_ path: String, hint: String? = nil) -> RealmError {
        RealmError(
            .misuse, code: "FileAlreadyExists", reason: "output-exists",
            "the output file exists", file: path, hint: hint)
    }

    /// Names the file `target`, durably. The caller syncs the file itself before; it may close the
    /// descriptor before only if the file has a temporary name.
    ///
    /// If `replacing` is false, uses a hard link, which fails if a file of that name has appeared
    /// meanwhile; a rename would replace it.
    ///
    /// - Parameters:
    ///   - replacing: whether an existing file of that name is replaced.
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
            // Without hard links, the check at creation has to suffice.
        }
        if let temporary {
            try rename(temporary.path, target)
            temporary.unregister()
            return
        }
        // Has a temporary name for an instant. If the process is killed then, the next
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

    /// Returns false if the file system has no hard links.
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

    /// Closes the descriptor; no more bytes are written.
    func close() { _ = Glibc.close(descriptor) }

    /// Removes the file, unless it already has its final name.
    package func discard() { temporary?.remove() }
}
