extension Threads {
    /// Those that wait for something to run, the last one last.
    private static let spares = LockedValue<[Spare]>([])

    /// Runs `body` as `detach` does, for those who do so again and again: on a thread that did the same
    /// before, if there is one, since making a thread and ending it takes as long as a sync.
    static func detachOften(_ body: @escaping @Sendable () -> Void) -> Bool {
        if let spare = spares.withLock({ $0.popLast() }) {
            spare.give(body)
            return true
        }
        let spare = Spare()
        spare.give(body)
        return detach { spare.run() }
    }

    /// A thread that runs what it is given, and ends when there is nothing for a while.
    private final class Spare: @unchecked Sendable {
        private static let patience: Int32 = 500
        private let monitor = Monitor()
        /// Guarded by the monitor, and nobody else's: what it holds goes when it is done.
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

        /// Nobody will give it anything; else somebody does at once, which is waited for.
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
