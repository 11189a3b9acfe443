import Glibc

/// An output file in the making, beside the place it will have.
///
/// Where the file system can, it has no name and vanishes with the process, however that ends.
/// Elsewhere it has a passing one (`TemporaryName`).
package struct TemporaryFile {
    package let descriptor: Int32
    /// Nil for a file without a name.
    private let passing: TemporaryName?
    private let folder: String
    private let path: String

    /// Creates one in the directory of `target`.
    ///
    /// - Parameters:
    ///   - path: what to call it in messages.
    ///   - permissions: from the first byte; nil for those of any new file.
    package init(
        beside target: String, for path: String, permissions: FilePermissions?
    ) throws(RealmError) {
        self.path = path
        folder = directory(of: target)
        let mode = permissions?.atFirst ?? 0o666
        if let unnamed = Self.unnamed(in: folder, mode) {
            descriptor = unnamed
            passing = nil
        } else {
            var descriptor: Int32 = -1
            passing = try TemporaryName(in: folder, for: path) { name in
                descriptor = Glibc.open(
                    name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
                return descriptor
            }
            self.descriptor = descriptor
        }
        permissions?.complete(descriptor)
    }

    /// A file without a name that can still be given one; nil where there is no such thing.
    private static func unnamed(in folder: String, _ mode: mode_t) -> Int32? {
        let flags = O_RDWR | O_CLOEXEC | File.unnamed
        let descriptor = retryingInterrupts { Glibc.open(folder, flags, mode) }
        guard descriptor >= 0 else { return nil }
        // The only way for everybody to name it.
        if access(place(of: descriptor), F_OK) == 0 { return descriptor }
        _ = Glibc.close(descriptor)
        return nil
    }

    private static func place(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// A path to read it by, in this process.
    package var place: String { passing?.path ?? Self.place(of: descriptor) }

    package static func exists(_ path: String, hint: String? = nil) -> RealmError {
        RealmError(
            .misuse, code: "FileAlreadyExists", reason: "output-exists",
            "the output file exists", file: path, hint: hint)
    }

    /// Gives it the name `target`, durably; the descriptor may be closed before only if it has a
    /// passing one. The file itself is synced by the caller, before.
    ///
    /// A plain rename would replace a file that appeared meanwhile; a hard link refuses to.
    ///
    /// - Parameters:
    ///   - replacing: whether a file of that name goes.
    ///   - isDurable: false for a name that may be gone after a power failure.
    package func publish(
        as target: String, replacing: Bool, isDurable: Bool = true
    ) throws(RealmError) {
        try name(target, replacing: replacing)
        if isDurable { try syncDirectory(of: target, for: path) }
    }

    private func name(_ target: String, replacing: Bool) throws(RealmError) {
        if !replacing {
            if try link(to: target) {
                passing?.remove()
                return
            }
            // Without hard links the check when it was made has to do.
        }
        if let passing {
            try rename(passing.path, target)
            passing.forget()
            return
        }
        // Named for an instant only: what is killed there is found by the next `TemporaryName`.
        let name = try TemporaryName(in: folder, for: path) { name in
            linkat(AT_FDCWD, place, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? descriptor : -1
        }
        do throws(RealmError) { try rename(name.path, target) } catch {
            name.remove()
            throw error
        }
        name.forget()
    }

    /// False where there are no hard links.
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

    /// Nothing more is written.
    func close() { _ = Glibc.close(descriptor) }

    /// Removes it, unless it has its final name already.
    package func discard() { passing?.remove() }
}
