import Glibc
import Synchronization

/// The name of an unfinished file or directory: `.realm-tools-PID-N.tmp`.
///
/// Until the file is removed or renamed, signal handlers remove it when the process is terminated.
/// The process holds a `flock` on the file. Whenever a temporary name is created, files in the
/// directory whose process has ended, and thus whose lock is free, are removed first. Confined to
/// one thread.
struct TemporaryName {
    let path: String
    private let entry: TemporaryFiles.Entry

    private static let prefix = ".realm-tools-"
    private static let suffix = ".tmp"
    /// Counter for unique names. This process uses no name twice, so removing a file by its name
    /// cannot remove another file.
    private static let made = Atomic<Int>(0)

    /// Creates a file or directory with an unused name in `folder`.
    ///
    /// - Parameters:
    ///   - path: name of the output in messages.
    ///   - opensFile: whether each call of `create` opens a descriptor. If another process removes
    ///     the file before it is locked, the descriptor is closed and `create` is called again.
    ///   - create: creates the file or directory of the given name and returns its descriptor,
    ///     which the caller must keep open as long as the name is needed. Returns a negative number
    ///     with `errno` set on failure.
    init(
        in folder: String, for path: String, opensFile: Bool = true, create: (String) -> Int32
    ) throws(RealmError) {
        Self.sweep(folder)
        for _ in 0..<1000 {
            let number = Self.made.add(1, ordering: .relaxed).newValue
            let name = "\(folder)/\(Self.prefix)\(getpid())-\(number)\(Self.suffix)"
            // Add the name to the list of unfinished files before the file exists, so that a signal
            // handler always finds it.
            let entry = TemporaryFiles.add(name)
            let descriptor = create(name)
            if descriptor >= 0 {
                flock(descriptor, LOCK_EX | LOCK_NB)
                // `sweep` in another process may have removed the file before it was locked.
                if Self.leads(name, to: descriptor) {
                    self.path = name
                    self.entry = entry
                    return
                }
                if opensFile { close(descriptor) }
                errno = EEXIST
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

    /// Removes the name from the list of unfinished files, because the file now has its final name.
    func unregister() { TemporaryFiles.remove(entry) }

    /// Removes the file, or the directory with its contents.
    func remove() {
        Self.remove(path)
        unregister()
    }

    private static func leads(_ name: String, to descriptor: Int32) -> Bool {
        var (a, b) = (stat(), stat())
        return lstat(name, &a) == 0 && fstat(descriptor, &b) == 0 && a.st_ino == b.st_ino
            && a.st_dev == b.st_dev
    }

    // MARK: Cleanup

    /// Removes temporary files in `folder` that were created by processes which have ended.
    private static func sweep(_ folder: String) {
        for name in names(in: folder) {
            guard let process = process(of: name), process != getpid(),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            let path = "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // The process that created the file may run in another PID namespace, so its id is not
            // proof. Its lock on the file is visible in all namespaces.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, leads(path, to: descriptor) else {
                continue
            }
            remove(path)
        }
    }

    /// Returns the id of the process that made the name; nil if it is no temporary name.
    private static func process(of name: String) -> pid_t? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let numbers = name.dropFirst(prefix.count).dropLast(suffix.count).split(separator: "-")
        guard numbers.count == 2, Int(numbers[1]) != nil else { return nil }
        return pid_t(numbers[0]).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let isOther = entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: "."))
            if isOther { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file, or a directory that contains a database and its companion files.
    private static func remove(_ path: String) {
        if unlink(path) == 0 || errno == ENOENT { return }
        TemporaryDirectory.empty(path)
        rmdir(path)
    }
}

/// A temporary directory for an unfinished database and its companion files. Only this user can
/// read it. The directory is removed when the last reference is released.
package final class TemporaryDirectory {
    /// Path at which the caller creates the database, inside the directory.
    package let database: String
    private let name: TemporaryName
    private let descriptor: Int32
    private let entries: [TemporaryFiles.Entry]

    private static let databaseName = "/new.realm"

    /// Creates a temporary directory in `folder`.
    ///
    /// - Parameter path: path of the output file, for error messages.
    package init(in folder: String, for path: String) throws(RealmError) {
        var descriptor: Int32 = -1
        name = try TemporaryName(in: folder, for: path) { name in
            if mkdir(name, 0o700) != 0 { return -1 }
            descriptor = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0 {
                let code = errno
                rmdir(name)
                // ENOENT means that `sweep` in another process removed the directory. Try another
                // name then.
                errno = code == ENOENT ? EEXIST : code
            }
            return descriptor
        }
        self.descriptor = descriptor
        let database = name.path + Self.databaseName
        self.database = database
        entries = ([""] + CompanionFiles.suffixes).map { TemporaryFiles.add(database + $0) }
    }

    deinit {
        name.remove()
        for entry in entries { TemporaryFiles.remove(entry) }
        close(descriptor)
    }

    static func empty(_ path: String) {
        unlink(path + databaseName)
        CompanionFiles.remove(beside: path + databaseName)
    }
}
