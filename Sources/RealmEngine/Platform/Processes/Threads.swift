import CRealmSystem
import Glibc

/// Worker threads. The caller divides the work.
package enum Threads {
    /// Number of processors online.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Whether the calling thread runs a Swift task.
    static var runsTask: Bool { realm_is_in_task() }

    /// Runs `body` on `count` threads, one of which is the calling thread. Returns when all calls
    /// have finished.
    ///
    /// The system may refuse threads; `body` is then called fewer times. Therefore `body` must
    /// claim pieces of work until none are left, and must not expect other threads to do a part.
    /// Its argument is the index of the thread, 0 for the caller.
    package static func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            var threads: [pthread_t] = []
            for index in 1..<max(1, count) {
                guard let thread = start({ body(index) }) else { break }
                threads.append(thread)
            }
            body(0)
            for thread in threads { pthread_join(thread, nil) }
        }
    }

    /// Runs `body` on a new detached thread; returns false if the system refuses one.
    package static func detach(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = start(body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Whether the system can create another thread at present. For callers that will need a thread
    /// later, when they could not handle a failure.
    package static var canStart: Bool {
        guard let thread = start({}) else { return false }
        pthread_join(thread, nil)
        return true
    }

    /// Identifies the calling thread among all living threads. Takes about a nanosecond.
    @inline(__always)
    static var current: UInt { UInt(bitPattern: realm_current_thread()) }

    /// Suspends the calling thread for ever.
    static func sleepForEver() -> Never {
        while true { sleep(1_000_000) }
    }

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            return nil
        }
        return thread
    }
}

/// A mutex with one condition variable, for state whose change threads wait for. Free to cross
/// threads.
package final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the mutex held.
    package func locked<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Waits until `holds` returns true, and releases the mutex before returning. Calls `holds`
    /// with the mutex held.
    package func wait(until holds: () -> Bool) {
        pthread_mutex_lock(mutex)
        while !holds() { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// Waits until `holds` returns true, but at most `milliseconds`. Returns the last result of
    /// `holds`.
    package func wait(milliseconds: Int32, until holds: () -> Bool) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if holds() { return true }
        guard milliseconds > 0 else { return false }
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(milliseconds) * 1_000_000
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while !holds() {
            if pthread_cond_timedwait(condition, mutex, &deadline) != 0 { return holds() }
        }
        return true
    }

    /// Changes state with the mutex held, then releases the mutex and wakes all waiters. They then
    /// find the mutex free.
    package func signal(_ change: () -> Void) {
        pthread_mutex_lock(mutex)
        change()
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(condition)
    }
}
