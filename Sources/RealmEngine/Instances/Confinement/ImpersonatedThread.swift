import Synchronization

/// Thread that counts as the thread that started it in all confinement checks, for tests of misuse.
/// A trap on this thread is recorded as a message; the thread then sleeps for ever.
///
/// The thread that started it waits in the meantime, so that an instance is never used by two
/// threads at once.
package final class ImpersonatedThread: @unchecked Sendable {
    /// The thread that started this thread, and that this thread impersonates in confinement
    /// checks.
    let thread: UInt
    /// Contexts (queues and actors) that this thread is taken to be in: it passes the confinement
    /// checks of their instances.
    let places: Set<Confinement.Identity>
    private let monitor = Monitor()
    private var isDone = false
    private var misuse: String?

    private init(_ places: Set<Confinement.Identity>) {
        thread = Threads.identity
        self.places = places.union(Self.current?.places ?? [])
    }

    // True once a test has called `run`. Outside of tests, reading this flag is the only cost of
    // the class.
    private static let isUsed = Atomic<Bool>(false)
    private static let slot = ThreadSlot()

    /// The calling thread, if it was started by `run`; nil for other threads.
    package static var current: ImpersonatedThread? {
        isUsed.load(ordering: .relaxed)
            ? slot.object.map { unsafeDowncast($0, to: ImpersonatedThread.self) } : nil
    }

    /// Whether this thread may use an instance with the confinement `identity`: an instance of
    /// `thread`, of a context in `places`, or a frozen instance.
    package func passes(for identity: Confinement.Identity) -> Bool {
        switch identity {
        case .anywhere: true
        case .thread(let owner): owner == thread
        case .object: places.contains(identity)
        }
    }

    /// Runs `body` on a new thread that counts as the calling thread and as being in the contexts
    /// `places`. Waits until `body` has returned or trapped. Returns the message of the trap; nil
    /// if there was none.
    package static func run(
        in places: Set<Confinement.Identity>, _ body: @escaping @Sendable () -> Void
    ) -> String? {
        isUsed.store(true, ordering: .relaxed)
        let impersonated = ImpersonatedThread(places)
        let hasBegun = Threads.detach {
            slot.object = impersonated
            body()
            impersonated.end(nil)
        }
        guard hasBegun else { return "no thread is to be had" }
        impersonated.monitor.wait { impersonated.isDone }
        return impersonated.misuse
    }

    private func end(_ misuse: String?) {
        monitor.signal { (isDone, self.misuse) = (true, misuse) }
    }

    /// Records the message of a trap and stops this thread for ever.
    func park(_ message: String) -> Never {
        end(message)
        Threads.sleepForEver()
    }
}

extension Threads {
    /// The thread that confinement checks take as the calling thread. It is the calling thread
    /// itself, or in tests the thread that an `ImpersonatedThread` impersonates.
    static var identity: UInt { ImpersonatedThread.current?.thread ?? current }
}

extension Instance {
    /// Whether the instance is confined to the calling thread itself, not to a queue or an actor.
    package var isOfThisThread: Bool {
        confinement.identity == .thread(Threads.current)
    }

    /// Runs the work of this instance for a commit of another instance or process, as if such a
    /// commit had been announced.
    package func simulateCommitNotice() { handleCommit() }
}
