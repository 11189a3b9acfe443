import Glibc
import Synchronization

/// The name of a file or directory in the making: `.realm-tools-PID-N.tmp`.
///
/// It is known to the signal handlers until it is removed or renamed, and locked as long as its
/// process lives: whoever needs such a name in the same directory first removes those that nobody
/// holds any more. Confined to one thread.
struct TemporaryName {
    let path: String
    private let entry: TemporaryFiles.Entry

    private static let prefix = ".realm-tools-"
    private static let suffix = ".tmp"
    /// A name is never used twice, so removing one cannot hit another file.
    private static let made = Atomic<Int>(0)

    /// Chooses a name in `folder` that nobody uses.
    ///
    /// - Parameters:
    ///   - path: what the output is called in messages.
    ///   - create: makes what has the name it is given, and answers a descriptor of it, which the
    ///     caller keeps open as long as the name is needed; negative, with `errno` set, when it
    ///     cannot.
    init(
        in folder: String, for path: String, create: (String) -> Int32
    ) throws(RealmError) {
        Self.sweep(folder)
        for _ in 0..<1000 {
            let number = Self.made.add(1, ordering: .relaxed).newValue
            let name = "\(folder)/\(Self.prefix)\(getpid())-\(number)\(Self.suffix)"
            // Known before it exists: a signal in between must find it.
            let entry = TemporaryFiles.add(name)
            let descriptor = create(name)
            if descriptor >= 0 {
                flock(descriptor, LOCK_EX | LOCK_NB)
                // Somebody who sweeps may have been faster than the lock.
                if Self.leads(name, to: descriptor) {
                    self.path = name
                    self.entry = entry
                    return
                }
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

    /// It has its final name.
    func forget() { TemporaryFiles.remove(entry) }

    /// Removes what has the name, a directory with what is in it.
    func remove() {
        Self.remove(path)
        forget()
    }

    private static func leads(_ name: String, to descriptor: Int32) -> Bool {
        var (a, b) = (stat(), stat())
        return lstat(name, &a) == 0 && fstat(descriptor, &b) == 0 && a.st_ino == b.st_ino
            && a.st_dev == b.st_dev
    }

    // MARK: Left by others

    /// Removes what has such a name and no process any more: one that was killed, or the machine
    /// with it.
    private static func sweep(_ folder: String) {
        for name in names(in: folder) {
            guard let process = process(of: name), process != getpid(),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            let path = "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // The process may be one that has another number elsewhere; its lock is seen here.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, leads(path, to: descriptor) else {
                continue
            }
            remove(path)
        }
    }

    /// The process that made the name, nil for a name of another kind.
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

    /// A file, or a directory with a database and what participants of its session leave.
    private static func remove(_ path: String) {
        if unlink(path) == 0 || errno == ENOENT { return }
        TemporaryDirectory.empty(path)
        rmdir(path)
    }
}

/// A directory under a passing name for a database in the making: what is beside it while it is open
/// is in there too, and nobody else can look in. It goes away with the last reference.
package final class TemporaryDirectory {
    /// Of the database, which the caller makes.
    package let database: String
    private let name: TemporaryName
    private let descriptor: Int32
    private let entries: [TemporaryFiles.Entry]

    private static let databaseName = "/new.realm"

    /// Makes one in `folder`. `path` is what the output is called in messages.
    package init(in folder: String, for path: String) throws(RealmError) {
        var descriptor: Int32 = -1
        name = try TemporaryName(in: folder, for: path) { name in
            if mkdir(name, 0o700) != 0 { return -1 }
            descriptor = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
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
