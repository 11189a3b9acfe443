import Glibc
import Synchronization

/// The bytes of a lock file: an open descriptor with a `flock`, and a shared writable mapping. The
/// mapping extends far beyond the end of the file, so that its address does not change when the
/// file grows.
final class MappedLockFile: @unchecked Sendable {
    let path: String
    let base: UnsafeMutableRawPointer
    private let descriptor: Int32
    private let locked: FileIdentity?
    private let visible = Atomic<Int>(0)
    private static let held = LockedValue(Held())

    /// Content of the mutex `held`. A struct instead of a dictionary, because the runtime would
    /// search conformances for the dictionary's type when a program starts.
    private struct Held {
        /// Number of times that this process has locked each lock file.
        var counts: [FileIdentity: Int] = [:]
    }

    private static let reserved = 1 << 26

    /// Result of opening a lock file.
    enum Opening {
        case open(MappedLockFile)
        /// The lock file is not initialised yet, or another process is initialising it. The caller
        /// should open it again.
        case notReady
        case tooSmall
    }

    /// Opens the lock file, and creates it if it is missing. If no process uses the file, calls
    /// `initialize` with zeroed bytes and stores these in the file. Keeps a shared `flock` until
    /// `deinit`. Does not block.
    static func open(
        _ path: String, size: Int, _ permissions: @escaping () -> FilePermissions,
        initialize: (UnsafeMutableRawPointer) -> Void
    ) throws(RealmError) -> Opening {
        guard let fd = CompanionFile.descriptor(path, O_RDWR, creating: permissions) else {
            let code = errno
            try CompanionFile.check(path, is: S_IFREG, "lock file")
            throw systemError("open", path, errno: code)
        }
        if retryingInterrupts({ flock(fd, LOCK_EX | LOCK_NB) }) == 0 {
            do throws(RealmError) { try prepare(fd, path, size, initialize) } catch {
                close(fd)
                throw error
            }
            flock(fd, LOCK_UN)
        }
        guard retryingInterrupts({ flock(fd, LOCK_SH | LOCK_NB) }) == 0 else {
            let code = errno
            close(fd)
            if code == EWOULDBLOCK { return .notReady }
            throw systemError("flock", path, errno: code)
        }
        return try adopt(fd, path, size)
    }

    /// Opens the lock file of an existing session. Returns nil if the file is missing or may not be
    /// written.
    static func join(_ path: String, size: Int) throws(RealmError) -> Opening? {
        guard let fd = CompanionFile.descriptor(path, O_RDWR) else { return nil }
        guard retryingInterrupts({ flock(fd, LOCK_SH | LOCK_NB) }) == 0 else {
            close(fd)
            return .notReady
        }
        return try adopt(fd, path, size)
    }

    private static func prepare(
        _ fd: Int32, _ path: String, _ size: Int,
        _ initialize: (UnsafeMutableRawPointer) -> Void
    ) throws(RealmError) {
        // Build the bytes in memory and overwrite the file, without truncating it: to free a block
        // and allocate another takes a file system longer than the rest of opening a database.
        let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        defer { fresh.deallocate() }
        fresh.initializeMemory(as: UInt8.self, repeating: 0)
        initialize(fresh.baseAddress!)
        if try FileStatus(fd, path).size > size { try setSize(fd, size, path: path) }
        try writeWhole(fd, UnsafeRawBufferPointer(fresh), at: 0, path: path)
    }

    private static func adopt(_ fd: Int32, _ path: String, _ size: Int) throws(RealmError)
        -> Opening
    {
        let status: FileStatus
        do throws(RealmError) { status = try FileStatus(fd, path) } catch {
            close(fd)
            throw error
        }
        if status.size < size {
            close(fd)
            return status.size == 0 ? .notReady : .tooSmall
        }
        return .open(try MappedLockFile(fd, status.identity, path, status.size))
    }

    private init(
        _ fd: Int32, _ file: FileIdentity, _ path: String, _ size: Int
    ) throws(RealmError) {
        let range = mmap(nil, Self.reserved, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
        guard range != MAP_FAILED else {
            let code = errno
            close(fd)
            throw systemError("mmap", path, errno: code)
        }
        base = range!
        descriptor = fd
        self.path = path
        locked = file
        Self.held.withLock { $0.counts[file, default: 0] += 1 }
        guard size <= Self.reserved else { throw Self.damaged }
        visible.store(size, ordering: .releasing)
    }

    /// Makes a private copy of a lock file's bytes, either to examine them or for a session of this
    /// process only.
    init(copying bytes: [UInt8], _ path: String = "") throws(RealmError) {
        let range = mmap(
            nil, Self.reserved, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard range != MAP_FAILED else { throw systemError("mmap", path, errno: errno) }
        base = range!
        descriptor = -1
        self.path = path
        locked = nil
        bytes.withUnsafeBytes {
            base.copyMemory(from: $0.baseAddress!, byteCount: min($0.count, Self.reserved))
        }
        visible.store(bytes.count, ordering: .releasing)
    }

    deinit {
        munmap(base, Self.reserved)
        if let locked {
            Self.held.withLock { held in
                held.counts[locked, default: 1] -= 1
                if held.counts[locked] == 0 { held.counts[locked] = nil }
            }
        }
        // Closing the open file description releases its `flock`.
        if descriptor >= 0 { close(descriptor) }
    }

    /// Number of bytes of the lock file that this process may access.
    var visibleSize: Int { visible.load(ordering: .acquiring) }

    /// Makes the first `size` bytes accessible, after another participant has extended the file.
    /// The caller must hold the version-list mutex.
    func extend(to size: Int) throws(RealmError) {
        if size <= visibleSize { return }
        guard descriptor >= 0 else { return visible.store(size, ordering: .releasing) }
        // Check the size, which other participants have stored: to access memory after the end of
        // the file would end this process.
        guard let status = try? FileStatus(descriptor, path), status.size >= size,
            size <= Self.reserved
        else { throw Self.damaged }
        visible.store(size, ordering: .releasing)
    }

    /// Makes the error for an inconsistent version list in a lock file.
    static var damaged: RealmError {
        RealmError(
            .incompatible, code: "IncompatibleLockFile", reason: "damaged",
            "the lock file's version list is damaged; the database need not be",
            hint: "end all programs that have the database open, then try again")
    }

    /// Extends the file to `size` bytes. The caller must hold the version-list mutex.
    func grow(to size: Int) throws(RealmError) {
        guard descriptor >= 0 else { return try extend(to: size) }
        let code = allocateSpace(descriptor, count: size)
        guard code == 0 || retryingInterrupts({ ftruncate(descriptor, off_t(size)) }) == 0 else {
            throw systemError("fallocate", path, errno: code, kind: .output)
        }
        try extend(to: size)
    }

    /// Whether there is a file at `path` that this process may read and write.
    static func isAccessible(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 }

    /// Whether any process holds a `flock` on the file at `path`, according to `/proc/locks`. Also
    /// true if this is uncertain. Trying to take the lock instead could mislead another process
    /// that opens the file at that moment.
    static func isLocked(_ path: String) -> Bool {
        var s = stat()
        guard lstat(path, &s) == 0, s.st_mode & S_IFMT == S_IFREG else { return false }
        let file = FileIdentity(device: UInt64(s.st_dev), inode: UInt64(s.st_ino))
        return isLocked(file, at: path)
    }

    /// Whether any process holds a `flock` on `file`, whose path is `path`.
    static func isLocked(_ file: FileIdentity, at path: String) -> Bool {
        held.withLock { !$0.counts.isEmpty && $0.counts[file] != nil }
            || LockTable.hasLock(on: file, at: path)
    }
}
