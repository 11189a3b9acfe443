import Glibc
import Synchronization

/// A robust mutex in memory that several processes map (storage format 6.3).
///
/// It belongs to the thread that locked it; only that thread may unlock it. A trivial value: the
/// mapping owns the memory.
struct SharedMutex {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ address: UnsafeMutableRawPointer) {
        mutex = address.assumingMemoryBound(to: pthread_mutex_t.self)
    }

    static let size = MemoryLayout<pthread_mutex_t>.size

    /// Initialises the bytes as an unlocked mutex.
    func initialize() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_setpshared(&attributes, Int32(PTHREAD_PROCESS_SHARED))
        pthread_mutexattr_setrobust(&attributes, Int32(PTHREAD_MUTEX_ROBUST))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    /// Whether a living thread holds the lock. Does not change the mutex.
    var isHeld: Bool {
        // The first word is the owner's thread id, and two bits that mean that threads wait and
        // that the owner died.
        let word = UnsafeRawPointer(mutex).assumingMemoryBound(to: Atomic<UInt32>.self)
        return word.pointee.load(ordering: .relaxed) & 0x3FFF_FFFF != 0
    }

    /// Whether the bytes are a mutex of the kind that `initialize` makes. For other bytes, the C
    /// library may end the process or ignore the timeout.
    var isSound: Bool {
        UnsafeRawPointer(mutex).load(fromByteOffset: Self.sortOffset, as: Int32.self) == Self.sort
    }

    private static let sortOffset = 16
    private static let sort: Int32 = {
        var fresh = pthread_mutex_t()
        return withUnsafeMutablePointer(to: &fresh) { fresh in
            SharedMutex(fresh).initialize()
            return UnsafeRawPointer(fresh).load(fromByteOffset: sortOffset, as: Int32.self)
        }
    }()

    /// Result of locking.
    enum Outcome {
        case locked
        /// The lock was acquired, but its previous owner died while it held the lock: the state
        /// that the mutex guards may be inconsistent.
        case ownerDied
    }

    /// Waits for the lock.
    @discardableResult
    func lock() throws(RealmError) -> Outcome {
        try outcome(isSound ? pthread_mutex_lock(mutex) : EINVAL)
    }

    /// Acquires the lock if it is free; returns nil if another thread holds it.
    func tryLock() throws(RealmError) -> Outcome? {
        let code = isSound ? pthread_mutex_trylock(mutex) : EINVAL
        return code == EBUSY ? nil : try outcome(code)
    }

    /// Waits for the lock until `deadline` on the real-time clock; returns nil if the deadline
    /// passes first.
    func lock(until deadline: Deadline?) throws(RealmError) -> Outcome? {
        guard var time = deadline?.time else { return try lock() }
        let code = isSound ? pthread_mutex_timedlock(mutex, &time) : EINVAL
        return code == ETIMEDOUT ? nil : try outcome(code)
    }

    private func outcome(_ code: Int32) throws(RealmError) -> Outcome {
        switch code {
        case 0: return .locked
        case EOWNERDEAD:
            pthread_mutex_consistent(mutex)
            return .ownerDied
        default:
            throw RealmError(
                .incompatible, code: "IncompatibleLockFile", reason: "mutex",
                "a lock of the session cannot be used: \(String(cString: strerror(code)))",
                hint: "end all programs that have the database open, then try again")
        }
    }

    func unlock() { pthread_mutex_unlock(mutex) }

    /// Waits for the lock at most as long as `lockTimeout`; returns nil after that time. Reads the
    /// clock only if another thread holds the lock.
    func lock(_ lockTimeout: LockTimeout) throws(RealmError) -> Outcome? {
        if let outcome = try tryLock() { return outcome }
        return try lock(until: lockTimeout.deadline)
    }

    /// Runs `body` with the lock held. Returns nil without calling `body` if the lock is not
    /// acquired within `lockTimeout`.
    func withLock<R>(
        _ lockTimeout: LockTimeout, _ body: () throws(RealmError) -> R
    ) throws(RealmError) -> R? {
        guard try lock(lockTimeout) != nil else { return nil }
        defer { unlock() }
        return try body()
    }

    /// Waits for the lock and runs `body` with the lock held.
    func withLock<R>(_ body: () throws(RealmError) -> R) throws(RealmError) -> R {
        try lock()
        defer { unlock() }
        return try body()
    }
}

/// A point in time on the clock that shared conditions and mutexes use.
struct Deadline {
    fileprivate let time: timespec

    /// The time `milliseconds` from now.
    static func after(milliseconds: Int) -> Deadline {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let nanoseconds = now.tv_nsec + (milliseconds % 1000) * 1_000_000
        return Deadline(
            time: timespec(
                tv_sec: now.tv_sec + milliseconds / 1000 + nanoseconds / 1_000_000_000,
                tv_nsec: nanoseconds % 1_000_000_000))
    }

    var hasPassed: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return (now.tv_sec, now.tv_nsec) >= (time.tv_sec, time.tv_nsec)
    }

    func isBefore(_ other: Deadline) -> Bool {
        (time.tv_sec, time.tv_nsec) < (other.time.tv_sec, other.time.tv_nsec)
    }

    static func sleep(milliseconds: Int) {
        var left = timespec(
            tv_sec: milliseconds / 1000, tv_nsec: (milliseconds % 1000) * 1_000_000)
        var rest = timespec()
        while nanosleep(&left, &rest) == -1, errno == EINTR { left = rest }
    }
}
