/// Wakes programs of other engines that wait at a condition of the lock file. Uses a separate
/// thread, since `SharedCondition.broadcast` may wait for ever for a waiter that was killed.
///
/// Such a hanging thread keeps the lock file mapped and its `flock` held, but no mutex of the lock
/// file. Free to cross threads.
final class ConditionSignaller: Sendable {
    private let memory: MappedLockFile
    private let condition: @Sendable (LockFile) -> SharedCondition
    private let state = LockedValue(State())

    private struct State {
        /// Whether a signal is pending, for which no broadcast has begun.
        var isWanted = false
        var isRunning = false
    }

    init(
        _ file: LockFile, _ condition: @escaping @Sendable (LockFile) -> SharedCondition
    ) {
        memory = file.memory
        self.condition = condition
    }

    /// Wakes all waiters soon; returns at once. The caller holds no mutex of the lock file, so that
    /// a waiter that wakes finds it free.
    func signal() {
        guard condition(LockFile(memory: memory)).mayHaveWaiters else { return }
        let mustStart = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a thread, waiters notice with the next signal or by polling.
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
