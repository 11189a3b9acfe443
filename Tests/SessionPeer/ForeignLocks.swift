import Glibc

/// Uses the mutexes and conditions of a lock file as programs of other engines do, through the C
/// library's functions at the offsets of the layout.
struct ForeignLocks {
    private let base: UnsafeMutableRawPointer

    private enum Offset {
        static let writeMutex = 48
        static let nextWriter = 360
        static let nextTicket = 408
    }

    /// Maps the lock file without joining the session, which another process keeps open.
    init(_ path: String) {
        let descriptor = open(path + ".lock", O_RDWR)
        let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard descriptor >= 0, let memory, memory != MAP_FAILED else { fail("no lock file") }
        base = memory
    }

    private var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        (base + Offset.writeMutex).assumingMemoryBound(to: pthread_mutex_t.self)
    }

    private var condition: UnsafeMutablePointer<pthread_cond_t> {
        (base + Offset.nextWriter).assumingMemoryBound(to: pthread_cond_t.self)
    }

    private func lock() {
        if pthread_mutex_lock(mutex) == EOWNERDEAD { pthread_mutex_consistent(mutex) }
    }

    /// Increments the number of the next ticket, as a writer in the queue does, and waits at the
    /// condition until killed.
    func waitForTurn() {
        lock()
        (base + Offset.nextTicket).assumingMemoryBound(to: UInt32.self).pointee &+= 1
        say("waits")
        while true { pthread_cond_wait(condition, mutex) }
    }

    /// Wakes all threads that wait at the condition, while holding the write mutex.
    func broadcast() {
        lock()
        say("broadcasts")
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
        say("did")
    }
}
