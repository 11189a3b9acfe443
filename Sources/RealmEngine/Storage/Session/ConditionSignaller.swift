/// Wakes the programs of other engines that wait at a condition of the lock file, on a thread of its own:
/// `SharedCondition.broadcast` may wait for ever for a waiter that was killed.
///
/// A thread that waits there keeps the lock file mapped and its `flock`, and holds no mutex of it. Free to
/// cross threads.
final class ConditionSignaller: Sendable {
    private let memory: LockFileMemory
    private let condition: @Sendable (LockFile) -> SharedCondition
    private let state = LockedValue(State())

    private struct State {
        /// A signal that no broadcast has begun for.
        var isWanted = false
        var isRunning = false
    }

    init(
        _ file: LockFile, _ condition: @escaping @Sendable (LockFile) -> SharedCondition
    ) {
        memory = file.memory
        self.condition = condition
    }

    /// Has all waiters woken soon; returns at once. The caller holds no lock of the lock file, so that
    /// a waiter that wakes finds it free.
    func signal() {
        guard condition(LockFile(memory: memory)).mayHaveWaiters else { return }
        let mustStart = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a thread, waiters learn of it with the next signal, or look by themselves.
        if mustStart, !Threads.detachOften({ self.run() }) {
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
