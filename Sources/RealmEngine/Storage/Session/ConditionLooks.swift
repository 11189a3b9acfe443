/// Successive looks at a condition, to find a broadcast that does not go on.
struct ConditionLooks {
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
