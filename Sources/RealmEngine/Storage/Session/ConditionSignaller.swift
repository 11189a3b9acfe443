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

/// Successive looks at a condition, to find a broadcast that does not go on.
private struct ConditionLooks {
    private let condition: SharedCondition
    private var seen: SharedCondition.Blockage?
    private var repeats = 0

    init(_ condition: SharedCondition) { self.condition = condition }

    /// Releases the broadcast if it is in the state of the two looks before.
    mutating func look() {
        let found = condition.blockage
        repeats = found != nil && found == seen ? repeats + 1 : 0
        seen = found
        guard let found, repeats >= 2 else { return }
        condition.release(found)
        (seen, repeats) = (nil, 0)
    }
}

extension LockFile {
    /// Milliseconds between two looks at the conditions while a mutex is waited for.
    private static let lookInterval = 50

    /// Waits for the write or control mutex, at most until `deadline`; nil when that passed.
    ///
    /// A program of another engine may hold it inside a broadcast that waits for a killed waiter. A
    /// broadcast found in the same state at three looks in a row is released.
    func lock(
        _ mutex: SharedMutex, until deadline: Deadline?
    ) throws(RealmError) -> SharedMutex.Outcome? {
        if let outcome = try mutex.tryLock() { return outcome }
        var looks = [nextWriter, newCommit].map { ConditionLooks($0) }
        while true {
            let look = Deadline.after(milliseconds: Self.lookInterval)
            let isLast = deadline.map { !look.isBefore($0) } ?? false
            if let outcome = try mutex.lock(until: isLast ? deadline : look) { return outcome }
            for i in looks.indices { looks[i].look() }
            if isLast { return nil }
        }
    }

    /// Runs `body` with the control mutex held; nil when it could not be had with `patience`.
    func withControl<R>(
        _ patience: LockTimeout = .forever, _ body: () throws(RealmError) -> R
    ) throws(RealmError) -> R? {
        if try controlMutex.tryLock() == nil {
            guard try lock(controlMutex, until: patience.deadline) != nil else { return nil }
        }
        defer { controlMutex.unlock() }
        return try body()
    }
}
