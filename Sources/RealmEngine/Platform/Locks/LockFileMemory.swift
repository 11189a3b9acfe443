import Glibc
import Synchronization

/// The bytes of a lock file: an open descriptor with its `flock`, mapped shared and writable far beyond
/// its end, so that a file that grows is there in place.
final class LockFileMemory: @unchecked Sendable {
    let path: String
    let base: UnsafeMutableRawPointer
    private let descriptor: Int32
    private let locked: FileIdentity?
    private let visible = Atomic<Int>(0)
    /// The lock files this process holds, and how often.
    private static let held = LockedValue<[FileIdentity: Int]>([:])

    private static let reserved = 1 << 26

    /// How opening a lock file can end without one.
    enum Opening {
        case open(LockFileMemory)
        /// Nobody has initialised the file yet, or somebody is just at it: begin again.
        case notReady
        case tooSmall
    }

    /// Opens the lock file, creating it when missing. Whoever finds it unused runs `initialize`
    /// over its zeroed bytes; then a shared lock is kept until the object goes. Waits for nobody.
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

    /// Opens the lock file of a session that is under way; nil when there is no such file or it may
    /// not be written.
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
        // Made apart and written over what is there: a file system takes longer to free a block and find
        // another one than all the rest of opening a database takes.
        let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        defer { fresh.deallocate() }
        fresh.initializeMemory(as: UInt8.self, repeating: 0)
        initialize(fresh.baseAddress!)
        if try FileStatus(fd, path).size > size, ftruncate(fd, off_t(size)) != 0 {
            throw systemError("ftruncate", path, errno: errno, kind: .output)
        }
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
        return .open(try LockFileMemory(fd, status.identity, path, status.size))
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
        Self.held.withLock { $0[file, default: 0] += 1 }
        guard size <= Self.reserved else { throw Self.damaged }
        visible.store(size, ordering: .releasing)
    }

    /// A copy of a lock file's bytes that no other process sees: to look at, or for a session of this
    /// process alone.
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
                held[locked, default: 1] -= 1
                if held[locked] == 0 { held[locked] = nil }
            }
        }
        // Closing the description releases its lock.
        if descriptor >= 0 { close(descriptor) }
    }

    /// Bytes that may be looked at.
    var visibleSize: Int { visible.load(ordering: .acquiring) }

    /// Lets the file be looked at as far as `size` bytes. The version-list mutex is held.
    func extend(to size: Int) throws(RealmError) {
        if size <= visibleSize { return }
        guard descriptor >= 0 else { return visible.store(size, ordering: .releasing) }
        // What others say of it is not believed: behind its end, memory that is touched ends us.
        guard let status = try? FileStatus(descriptor, path), status.size >= size,
            size <= Self.reserved
        else { throw Self.damaged }
        visible.store(size, ordering: .releasing)
    }

    /// The list of versions in a lock file cannot be what it says.
    static var damaged: RealmError {
        RealmError(
            .incompatible, code: "IncompatibleLockFile", reason: "damaged",
            "the lock file's version list is damaged; the database need not be",
            hint: "end all programs that have the database open, then try again")
    }

    /// Makes the file exactly `size` bytes. The version-list mutex is held.
    func grow(to size: Int) throws(RealmError) {
        guard descriptor >= 0 else { return try extend(to: size) }
        let code = posix_fallocate(descriptor, 0, off_t(size))
        guard code == 0 || ftruncate(descriptor, off_t(size)) == 0 else {
            throw systemError("fallocate", path, errno: code, kind: .output)
        }
        try extend(to: size)
    }

    /// Whether there is a file at `path` that may be written.
    static func isThere(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 }

    /// True while some open file description holds a lock on the file at `path`, as the system's
    /// table of locks tells. Taking a lock to find out could mislead an opener that comes just then.
    static func isLocked(_ path: String) -> Bool {
        var s = stat()
        guard lstat(path, &s) == 0, s.st_mode & S_IFMT == S_IFREG else { return false }
        return isLocked(FileIdentity(device: UInt64(s.st_dev), inode: UInt64(s.st_ino)))
    }

    static func isLocked(_ locked: FileIdentity) -> Bool {
        if held.withLock({ $0[locked] != nil }) { return true }
        guard let file = fopen("/proc/locks", "r") else { return true }
        defer { fclose(file) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { line in
            let line = line.baseAddress!
            while fgets(line, 256, file) != nil {
                if strstr(line, "FLOCK") != nil, strstr(line, ":\(locked.inode) ") != nil {
                    return true
                }
            }
            return false
        }
    }
}
