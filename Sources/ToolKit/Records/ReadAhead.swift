import Glibc

/// Two chunks that a thread fills while the reader empties them.
///
/// The thread works on a duplicate of the descriptor and keeps this object alive, so nobody has to
/// wait for a read that a silent pipe never finishes: after `stop` the thread ends with its read.
/// `lock` guards everything but the bytes of a chunk, which belong to the thread while `counts` of
/// the chunk is nil and to the reader from then on.
final class ReadAhead: @unchecked Sendable {
    static let chunkSize = 1 << 19

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private let chunks: UnsafeMutableRawPointer
    private let descriptor: Int32
    /// Bytes in each filled chunk; 0 is the end of input, a negative number an `errno`.
    private var counts: (Int?, Int?) = (nil, nil)
    private var isStopped = false
    /// The reader's own: the chunk it empties and how much of it is gone.
    private var current = 0
    private var taken = 0

    init(descriptor: Int32) {
        lock = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        pthread_cond_init(changed, nil)
        chunks = .allocate(byteCount: 2 * Self.chunkSize, alignment: 64)
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        if self.descriptor < 0 {
            counts.0 = -Int(errno)
        } else {
            start()
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        lock.deallocate()
        changed.deallocate()
        chunks.deallocate()
    }

    /// Ends the thread once its current read returns.
    func stop() {
        pthread_mutex_lock(lock)
        isStopped = true
        pthread_cond_signal(changed)
        pthread_mutex_unlock(lock)
    }

    /// Copies out the next bytes, waiting for them; 0 at the end, a negative `errno` on failure.
    func take(into target: UnsafeMutableRawPointer, capacity: Int) -> Int {
        let filled = waitForChunk()
        guard filled > 0 else { return filled }
        let count = min(capacity, filled - taken)
        target.copyMemory(
            from: chunks + current * Self.chunkSize + taken, byteCount: count)
        taken += count
        if taken == filled { release() }
        return count
    }

    func isReady(within milliseconds: Int32) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(milliseconds) * 1_000_000
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while count(of: current) == nil {
            if pthread_cond_timedwait(changed, lock, &deadline) != 0 { return false }
        }
        return true
    }

    private func waitForChunk() -> Int {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let filled = count(of: current) { return filled }
            pthread_cond_wait(changed, lock)
        }
    }

    /// Gives the emptied chunk back to the thread.
    private func release() {
        pthread_mutex_lock(lock)
        setCount(nil, of: current)
        pthread_cond_signal(changed)
        pthread_mutex_unlock(lock)
        current ^= 1
        taken = 0
    }

    private func count(of chunk: Int) -> Int? { chunk == 0 ? counts.0 : counts.1 }

    private func setCount(_ count: Int?, of chunk: Int) {
        if chunk == 0 { counts.0 = count } else { counts.1 = count }
    }

    private func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, readAheadMain, context)
        if code == 0 {
            pthread_detach(thread)
        } else {
            counts.0 = -Int(code)
            Unmanaged<ReadAhead>.fromOpaque(context).release()
        }
    }

    /// The thread: fills the chunks in turn until the end, an error or `stop`.
    fileprivate func run() {
        var chunk = 0
        while waitUntilEmpty(chunk) {
            let target = chunks + chunk * Self.chunkSize
            var count = retryingInterrupts { read(descriptor, target, Self.chunkSize) }
            if count < 0 { count = -Int(errno) }
            pthread_mutex_lock(lock)
            setCount(count, of: chunk)
            pthread_cond_signal(changed)
            pthread_mutex_unlock(lock)
            if count <= 0 { return }
            chunk ^= 1
        }
    }

    private func waitUntilEmpty(_ chunk: Int) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while !isStopped && count(of: chunk) != nil { pthread_cond_wait(changed, lock) }
        return !isStopped
    }
}

private func readAheadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<ReadAhead>.fromOpaque(context!).takeRetainedValue().run()
    return nil
}
