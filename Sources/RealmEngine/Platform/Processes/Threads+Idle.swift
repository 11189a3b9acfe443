extension Threads {
    /// Idle threads. The thread that became idle last is the last element.
    private static let idleThreads = LockedValue<[IdleThread]>([])

    /// Runs `body` like `detach`, but reuses an idle thread of an earlier call if there is one:
    /// creating and ending a thread takes as long as a sync. Returns false if the system refuses a
    /// thread.
    package static func detachReusingThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        if let spare = idleThreads.withLock({ $0.popLast() }) {
            spare.give(body)
            return true
        }
        let spare = IdleThread()
        spare.give(body)
        return detach { spare.run() }
    }

    /// A thread that runs one closure after another. It ends after half a second without work.
    private final class IdleThread: @unchecked Sendable {
        private static let lockTimeout: Int32 = 500
        private let monitor = Monitor()
        /// The next closure to run. The monitor's mutex guards it. It is cleared before it runs, so
        /// that its captures are released afterwards.
        private var body: (@Sendable () -> Void)?

        func give(_ next: @escaping @Sendable () -> Void) { monitor.signal { body = next } }

        func run() {
            repeat {
                take()?()
                idleThreads.withLock { $0.append(self) }
            } while monitor.wait(milliseconds: Self.lockTimeout) { body != nil } || !isLeft()
        }

        private func take() -> (@Sendable () -> Void)? {
            monitor.locked {
                defer { body = nil }
                return body
            }
        }

        /// Removes this thread from the idle list and returns true. If another thread has just
        /// taken it from the list to give it work, waits for that work and returns false.
        private func isLeft() -> Bool {
            let isListed = idleThreads.withLock { idleThreads in
                guard let index = idleThreads.firstIndex(where: { $0 === self }) else {
                    return false
                }
                idleThreads.remove(at: index)
                return true
            }
            if !isListed { monitor.wait { body != nil } }
            return isListed
        }
    }
}
