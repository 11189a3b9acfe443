/// Polls the state of a condition variable to detect a broadcast that hangs.
struct ConditionPoller {
    private let condition: SharedCondition
    private var seen: SharedCondition.Blockage?
    private var repeats = 0

    init(_ condition: SharedCondition) { self.condition = condition }

    /// Checks whether a broadcast on the condition variable hangs. If three successive calls find
    /// the same broadcast in the same state, ends that broadcast with `SharedCondition.release`.
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
    /// Interval in milliseconds at which a thread that waits for a mutex checks whether a broadcast
    /// on a condition variable of the lock file hangs.
    private static let lookInterval = 50

    /// Waits for the write or control mutex, at most until `deadline`; returns nil if `deadline`
    /// passes first.
    ///
    /// A program of another engine may hold the mutex while its broadcast waits for a waiter that
    /// was killed. A broadcast that is found in the same state three times in a row is ended.
    func lock(
        _ mutex: SharedMutex, until deadline: Deadline?
    ) throws(RealmError) -> SharedMutex.Outcome? {
        if let outcome = try mutex.tryLock() { return outcome }
        var pollers = [nextWriter, newCommit].map { ConditionPoller($0) }
        while true {
            let look = Deadline.after(milliseconds: Self.lookInterval)
            let isLast = deadline.map { !look.isBefore($0) } ?? false
            if let outcome = try mutex.lock(until: isLast ? deadline : look) { return outcome }
            for i in pollers.indices { pollers[i].look() }
            if isLast { return nil }
        }
    }

    /// Runs `body` with the control mutex held; returns nil if the mutex is not free within
    /// `lockTimeout`.
    func withControl<R>(
        _ lockTimeout: LockTimeout = .forever, _ body: () throws(RealmError) -> R
    ) throws(RealmError) -> R? {
        if try controlMutex.tryLock() == nil {
            guard try lock(controlMutex, until: lockTimeout.deadline) != nil else { return nil }
        }
        defer { controlMutex.unlock() }
        return try body()
    }
}
