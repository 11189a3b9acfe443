import Glibc

/// Tells who wants to know of commits to look for them: one thread for all databases of a process.
///
/// It sleeps at the notifier FIFOs, where SDKs and this engine announce their commits. Programs on the
/// reference engine alone announce them at a condition variable of the lock file, where this engine
/// does not wait: whoever is killed while waiting there stops, for ever, the next one that signals.
/// For their sake, and for announcements that are lost, the thread has everybody look a few times a
/// second, and all the time while that finds something. Free to cross threads.
final class CommitListener: Sendable {
    /// Looks for commits; whether there were any.
    typealias Look = @Sendable () -> Bool

    /// What is listened to as long as it exists.
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
        let look: Look
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastNumber: UInt64 = 0
        var hasThread = false
        /// Times the thread woke up, for tests.
        var wakes = 0
    }

    /// How long the thread sleeps where nothing is announced, in microseconds: six times a second costs nobody
    /// anything.
    private static let slow = 160_000
    /// The same where commits come that nobody announces.
    private static let quick = 200
    /// How many times in a row it sleeps so shortly for nothing.
    private static let quickTries = 5000

    private let waiter: SignalWaiter
    private let state = LockedValue(State())
    private let generation = ForkGeneration.current

    private static let known = LockedValue<CommitListener?>(nil)

    private init?() {
        guard let waiter = SignalWaiter() else { return nil }
        self.waiter = waiter
    }

    /// The process's own; nil when the system has no means left for one. A forked copy of a process
    /// has no threads but one.
    static var shared: CommitListener? {
        known.withLock { known in
            if let known, known.generation == ForkGeneration.current { return known }
            known = CommitListener()
            return known
        }
    }

    /// Has the process's listener look, if there is one.
    static func ring() { known.withLock { $0 }?.waiter.ring() }

    var wakes: Int { state.withLock { $0.wakes } }

    /// Calls `look` on the listener's thread when commits of the database at `place` are announced,
    /// and now and then. Makes the FIFO where it is missing.
    ///
    /// - Parameter place: nil for a database in memory, whose commits are announced by `ring`.
    func add(_ place: DatabasePath?, _ look: @escaping Look) -> Registration {
        let fifo = place.flatMap { place in
            CompanionFile.fifo(place.note) { FilePermissions(of: place.path) ?? .ofNewDatabase }
        }
        let descriptor = fifo ?? -1
        let (number, mustStart) = state.withLock { state -> (UInt64, Bool) in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(descriptor: descriptor, look: look)
            defer { state.hasThread = true }
            return (state.lastNumber, !state.hasThread)
        }
        if descriptor >= 0 { _ = waiter.add(descriptor, number) }
        if mustStart { startThread() } else { waiter.ring() }
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
            let looks = state.withLock { state -> [Look] in
                state.wakes += 1
                guard let heard, !heard.isEmpty else { return state.entries.values.map(\.look) }
                return heard.compactMap { state.entries[$0]?.look }
            }
            var hasFound = false
            for look in looks where look() { hasFound = true }
            // What was announced says nothing about what is not.
            guard heard == nil else { continue }
            quickLeft = hasFound ? Self.quickTries : max(0, quickLeft - 1)
        }
    }
}
