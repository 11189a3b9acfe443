import Glibc
import RealmEngine
import Synchronization

extension OutputFile {
    /// A named output: the file as the user called it, and how it comes into being.
    struct Destination {
        /// As given, for messages.
        let path: String
        /// Where it will be, with symbolic links resolved.
        let target: String
        let force: Bool

        /// Where to write, and the temporary file behind it; no such file when `path` is a device,
        /// pipe or socket, which is written directly.
        struct Opened {
            let descriptor: Int32
            let destination: Destination
            let temporary: TemporaryFile?
        }

        static func open(_ path: String, force: Bool) throws(RealmError) -> Opened {
            var status = stat()
            guard stat(path, &status) == 0 else {
                // A link that leads nowhere is in the way too.
                if !force, lstat(path, &status) == 0 { throw exists(path) }
                return try beside(Destination(path: path, target: path, force: force), mode: nil)
            }
            if status.st_mode & S_IFMT != S_IFREG { return try direct(path) }
            guard force else { throw exists(path) }
            return try beside(
                Destination(path: path, target: resolve(path), force: force),
                mode: status.st_mode & 0o7777)
        }

        private static func beside(
            _ destination: Destination, mode: mode_t?
        ) throws(RealmError) -> Opened {
            let temporary = try TemporaryFile(
                beside: destination.target, for: destination.path, mode: mode)
            return Opened(
                descriptor: temporary.descriptor, destination: destination, temporary: temporary)
        }

        private static func direct(_ path: String) throws(RealmError) -> Opened {
            let fd = retryingInterrupts { Int(Glibc.open(path, O_WRONLY | O_CLOEXEC)) }
            guard fd >= 0 else {
                throw systemFailure(.output, "cannot open for writing", errno: errno, file: path)
            }
            return Opened(
                descriptor: Int32(fd),
                destination: Destination(path: path, target: path, force: true), temporary: nil)
        }

        /// Gives the finished temporary file its name, and makes the name durable.
        func publish(_ temporary: TemporaryFile) throws(RealmError) {
            try place(temporary)
            temporary.forget()
            try Self.syncDirectory(of: target, for: path)
        }

        /// A plain rename would replace a file that appeared meanwhile; a hard link refuses to.
        /// Where the file system has no hard links, the check at `open` has to do.
        private func place(_ temporary: TemporaryFile) throws(RealmError) {
            if !force {
                if link(temporary.name, target) == 0 {
                    unlink(temporary.name)
                    return
                }
                if errno == EEXIST { throw Self.exists(path) }
            }
            guard rename(temporary.name, target) == 0 else {
                throw systemFailure(.output, "cannot rename", errno: errno, file: path)
            }
        }

        /// Makes a new name durable.
        static func syncDirectory(of target: String, for path: String) throws(RealmError) {
            let fd = retryingInterrupts {
                Int(Glibc.open(directory(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
            }
            guard fd >= 0 else {
                // A directory that may be written but not listed cannot be opened, nor synced.
                if errno == EACCES { return }
                throw systemFailure(.output, "cannot open the directory", errno: errno, file: path)
            }
            defer { _ = Glibc.close(Int32(fd)) }
            // EINVAL: this file system has no such operation.
            guard fsync(Int32(fd)) == 0 || errno == EINVAL else {
                throw systemFailure(.output, "cannot sync the directory", errno: errno, file: path)
            }
        }

        private static func resolve(_ path: String) -> String {
            guard let resolved = realpath(path, nil) else { return path }
            defer { free(resolved) }
            return String(cString: resolved)
        }

        static func exists(_ path: String) -> RealmError {
            RealmError(
                .misuse, code: "FileAlreadyExists", reason: "output-exists",
                "the output file exists", file: path, hint: "--force replaces it")
        }
    }
}

/// The directory part of a path, `.` when it has none.
func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// A file under a passing name, known to the signal handlers until it is finished.
struct TemporaryFile {
    let name: String
    let descriptor: Int32
    private let entry: TemporaryFiles.Entry
    /// A name is never used twice, so removing one cannot hit another file.
    private static let made = Atomic<Int>(0)

    /// Creates one in the directory of `target`.
    ///
    /// - Parameters:
    ///   - path: what to call it in messages.
    ///   - mode: permissions; nil for those of any new file.
    init(beside target: String, for path: String, mode: mode_t?) throws(RealmError) {
        let folder = directory(of: target)
        for _ in 0..<1000 {
            let number = Self.made.add(1, ordering: .relaxed).newValue
            let name = "\(folder)/.realm-tools-\(getpid())-\(number).tmp"
            // Known before it exists: a signal in between must find it.
            let entry = TemporaryFiles.add(name)
            let fd = Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if fd >= 0 {
                if let mode { fchmod(fd, mode) }
                self.name = name
                self.entry = entry
                descriptor = fd
                return
            }
            let code = errno
            TemporaryFiles.remove(entry)
            if code != EEXIST, code != EINTR {
                throw systemFailure(
                    .output, "cannot create a file in \(folder)", errno: code, file: path)
            }
        }
        throw systemFailure(
            .output, "cannot create a file in \(folder)", errno: EEXIST, file: path)
    }

    /// It has its final name.
    func forget() { TemporaryFiles.remove(entry) }

    /// Removes it, unless it has its final name already.
    func discard() {
        unlink(name)
        TemporaryFiles.remove(entry)
    }
}
