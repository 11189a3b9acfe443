extension Threads {
    /// Idle threads; the one that became idle last is the last element.
    private static let spares = LockedValue<[Spare]>([])

    /// Runs `body` as `detach` does, on an idle thread of an earlier call if there is one: creating
    /// and ending a thread takes as long as a sync. Returns false if the system refuses a thread.
    static func detachOften(_ body: @escaping @Sendable () -> Void) -> Bool {
        if let spare = spares.withLock({ $0.popLast() }) {
            spare.give(body)
            return true
        }
        let spare = Spare()
        spare.give(body)
        return detach { spare.run() }
    }

    /// A thread that runs one body after another, and ends after half a second without work.
    private final class Spare: @unchecked Sendable {
        private static let patience: Int32 = 500
        private let monitor = Monitor()
        /// Guarded by the monitor. Taken out before it runs, so that its captures are released
        /// afterwards.
        private var body: (@Sendable () -> Void)?

        func give(_ next: @escaping @Sendable () -> Void) { monitor.signal { body = next } }

        func run() {
            repeat {
                take()?()
                spares.withLock { $0.append(self) }
            } while monitor.wait(milliseconds: Self.patience) { body != nil } || !isLeft()
        }

        private func take() -> (@Sendable () -> Void)? {
            monitor.locked {
                defer { body = nil }
                return body
            }
        }

        /// Removes this thread from the idle list and returns true. If another thread has just
        /// claimed it, waits for its work and returns false.
        private func isLeft() -> Bool {
            let isListed = spares.withLock { spares in
                guard let index = spares.firstIndex(where: { $0 === self }) else { return false }
                spares.remove(at: index)
                return true
            }
            if !isListed { monitor.wait { body != nil } }
            return isListed
        }
    }
}
