/// Wakes programs of other engines that wait at a condition of the lock file. Uses a separate
/// thread, since `SharedCondition.broadcast` hangs if a waiter was killed.
///
/// A thread that hangs keeps the lock file mapped and its `flock` held, but holds no mutex of the
/// lock file. Free to cross threads.
final class ConditionSignaller: Sendable {
    private let memory: MappedLockFile
    private let condition: @Sendable (LockFile) -> SharedCondition
    private let state = LockedValue(State())

    private struct State {
        /// Whether `signal` was called after the thread of this object began its last broadcast.
        var isWanted = false
        var isRunning = false
    }

    init(
        _ file: LockFile, _ condition: @escaping @Sendable (LockFile) -> SharedCondition
    ) {
        memory = file.memory
        self.condition = condition
    }

    /// Requests a broadcast to all waiters and returns at once. The caller must not hold a mutex of
    /// the lock file, so that a waiter that wakes up finds the mutex free.
    func signal() {
        guard condition(LockFile(memory: memory)).mayHaveWaiters else { return }
        let mustStart = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // If no thread can be started, waiters wake up at the next signal or when they poll.
        if mustStart, !Threads.detachReusingThread({ self.run() }) {
            state.withLock { $0.isRunning = false }
        }
    }

    private func run() {
        while takeWanted() { condition(LockFile(memory: memory)).broadcast() }
    }

    private func takeWanted() -> Bool {
        state.withLock { state in
            defer { state.isWanted = false }
            state.isRunning = state.isWanted
            return state.isWanted
        }
    }
}
