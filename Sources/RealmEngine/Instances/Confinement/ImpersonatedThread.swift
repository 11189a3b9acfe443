import Synchronization

/// Thread that counts as another thread in confinement checks, for tests of misuse. A trap on this
/// thread is recorded as a message; the thread then sleeps for ever.
///
/// The impersonated thread waits in the meantime, so that an instance is never used by two threads
/// at once.
package final class ImpersonatedThread: @unchecked Sendable {
    /// The impersonated thread.
    let thread: UInt
    /// Queues and actors in whose context the impersonated thread is.
    let places: Set<Confinement.Identity>
    private let monitor = Monitor()
    private var isDone = false
    private var misuse: String?

    private init(_ places: Set<Confinement.Identity>) {
        thread = Threads.identity
        self.places = places.union(Self.current?.places ?? [])
    }

    // True once a test has impersonated a thread. Outside of tests, reading this flag is the only
    // cost of the class.
    private static let isUsed = Atomic<Bool>(false)
    private static let slot = ThreadSlot()

    /// The impersonation in which the calling thread is; nil if there is none.
    package static var current: ImpersonatedThread? {
        isUsed.load(ordering: .relaxed)
            ? slot.object.map { unsafeDowncast($0, to: ImpersonatedThread.self) } : nil
    }

    /// Whether the impersonated thread may use an instance with the confinement `identity`.
    package func passes(for identity: Confinement.Identity) -> Bool {
        switch identity {
        case .anywhere: true
        case .thread(let owner): owner == thread
        case .object: places.contains(identity)
        }
    }

    /// Runs `body` on a new thread that impersonates the calling thread and is in the contexts
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
    /// The calling thread, or the thread that it impersonates.
    static var identity: UInt { ImpersonatedThread.current?.thread ?? current }
}

extension Instance {
    /// Whether the instance is confined to the calling thread itself, not to a queue or an actor.
    package var isOfThisThread: Bool {
        confinement.identity == .thread(Threads.current)
    }

    /// Calls the handler for a commit of another instance or process.
    package func simulateCommitNotice() { handleCommit() }
}
