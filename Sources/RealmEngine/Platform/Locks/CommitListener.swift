import Glibc

/// Calls a closure when a database may have new commits. One thread serves all databases of a
/// process.
///
/// The thread sleeps at the notifier FIFOs, through which SDKs and this engine announce commits.
/// Programs that use only the reference engine announce commits through a condition variable in the
/// lock file. This engine does not wait for that condition: if a process is killed while it waits,
/// the next process that signals hangs for ever. For such commits, and for lost announcements, the
/// thread polls all databases a few times a second; while polling finds commits, it polls at the
/// interval `quick`. Free to cross threads.
final class CommitListener: Sendable {
    /// Checks for new commits and handles them. Returns whether there were any.
    typealias CommitCheck = @Sendable () -> Bool

    /// A closure registered for commits. Releasing this object removes the closure.
    final class Registration: Sendable {
        private let number: UInt64
        private let listener: CommitListener

        fileprivate init(_ number: UInt64, _ listener: CommitListener) {
            self.number = number
            self.listener = listener
        }

        deinit { listener.remove(number) }
    }

    private struct Entry {
        let descriptor: Int32
        let look: CommitCheck
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastNumber: UInt64 = 0
        var hasThread = false
        /// Number of times that the listener's thread has woken up. For tests.
        var wakes = 0
    }

    /// Normal polling interval in microseconds. Polling finds commits that were not announced
    /// through the FIFO beside the database. Six polls a second cost almost nothing.
    private static let slow = 160_000
    /// Polling interval in microseconds after polling has found a commit that was not announced
    /// through the FIFO beside the database.
    private static let quick = 200
    /// Number of polls without a commit at the interval `quick`, after which the thread polls at
    /// the interval `slow` again.
    private static let quickTries = 5000

    private let waiter: SignalWaiter
    private let state = LockedValue(State())
    private let generation = ForkGeneration.current

    private static let known = LockedValue<CommitListener?>(nil)

    private init?() {
        guard let waiter = SignalWaiter() else { return nil }
        self.waiter = waiter
    }

    /// The listener of this process; nil if the system has no descriptors left. A forked process
    /// gets another listener, because `fork` does not copy the thread.
    static var shared: CommitListener? {
        known.withLock { known in
            if let known, known.generation == ForkGeneration.current { return known }
            known = CommitListener()
            return known
        }
    }

    /// Wakes this process's listener, if there is one. The listener then calls all closures
    /// registered with `add`, which check for new commits.
    static func wake() { known.withLock { $0 }?.waiter.wake() }

    var wakes: Int { state.withLock { $0.wakes } }

    /// Calls `look` on the listener's thread when a commit of the database at `resolvedPath` is
    /// announced, and at each poll. Creates the FIFO if it is missing.
    ///
    /// - Parameter resolvedPath: nil for a database in memory, whose commits are announced with
    ///   `wake`.
    func add(_ resolvedPath: DatabasePath?, _ look: @escaping CommitCheck) -> Registration {
        let fifo = resolvedPath.flatMap { resolvedPath in
            CompanionFile.fifo(resolvedPath.note) {
                FilePermissions(of: resolvedPath.path) ?? .ofNewDatabase
            }
        }
        let descriptor = fifo ?? -1
        let (number, mustStart) = state.withLock { state -> (UInt64, Bool) in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(descriptor: descriptor, look: look)
            defer { state.hasThread = true }
            return (state.lastNumber, !state.hasThread)
        }
        if descriptor >= 0 { _ = waiter.add(descriptor, number) }
        if mustStart { startThread() } else { waiter.wake() }
        return Registration(number, self)
    }

    private func remove(_ number: UInt64) {
        guard let entry = state.withLock({ $0.entries.removeValue(forKey: number) }),
            entry.descriptor >= 0
        else { return }
        waiter.remove(entry.descriptor)
        close(entry.descriptor)
    }

    private func startThread() {
        if !Threads.detach({ self.listen() }) { state.withLock { $0.hasThread = false } }
    }

    private func listen() {
        var quickLeft = 0
        while true {
            let isIdle = state.withLock { $0.entries.isEmpty }
            let heard = waiter.wait(
                microseconds: isIdle ? nil : quickLeft > 0 ? Self.quick : Self.slow)
            let checks = state.withLock { state -> [CommitCheck] in
                state.wakes += 1
                guard let heard, !heard.isEmpty else { return state.entries.values.map(\.look) }
                return heard.compactMap { state.entries[$0]?.look }
            }
            var hasFound = false
            for check in checks where check() { hasFound = true }
            // After an announcement, the polling interval is not changed: it depends on unannounced
            // commits only.
            guard heard == nil else { continue }
            quickLeft = hasFound ? Self.quickTries : max(0, quickLeft - 1)
        }
    }
}
