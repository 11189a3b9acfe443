import Synchronization

/// A thread that counts as another one wherever it is asked who uses an instance. For tests of misuse:
/// what goes wrong on it is told, and the thread sleeps from then on.
///
/// The thread it stands for waits, so that there is still one user at a time.
package final class ImpersonatedThread: @unchecked Sendable {
    /// The thread it stands for.
    let thread: UInt
    /// Other places where that thread is.
    let places: Set<Confinement.Identity>
    private let monitor = Monitor()
    private var isDone = false
    private var misuse: String?

    private init(_ places: Set<Confinement.Identity>) {
        thread = Threads.identity
        self.places = places.union(Self.current?.places ?? [])
    }

    // Nobody who does not test looks further than this.
    private static let isUsed = Atomic<Bool>(false)
    private static let slot = ThreadSlot()

    /// What the calling thread is; nil for one that is itself.
    package static var current: ImpersonatedThread? {
        isUsed.load(ordering: .relaxed)
            ? slot.object.map { unsafeDowncast($0, to: ImpersonatedThread.self) } : nil
    }

    /// Whether what is confined there may be used here.
    package func passes(for identity: Confinement.Identity) -> Bool {
        switch identity {
        case .anywhere: true
        case .thread(let owner): owner == thread
        case .object: places.contains(identity)
        }
    }

    /// Runs `body` on a thread that stands for the calling one, which is in `places` too, and waits
    /// until it came back or did what is wrong; returns what that was.
    package static func run(
        in places: Set<Confinement.Identity>, _ body: @escaping @Sendable () -> Void
    ) -> String? {
        isUsed.store(true, ordering: .relaxed)
        let standIn = ImpersonatedThread(places)
        let hasBegun = Threads.detach {
            slot.object = standIn
            body()
            standIn.end(nil)
        }
        guard hasBegun else { return "no thread is to be had" }
        standIn.monitor.wait { standIn.isDone }
        return standIn.misuse
    }

    private func end(_ misuse: String?) {
        monitor.signal { (isDone, self.misuse) = (true, misuse) }
    }

    /// What is wrong is told, and nothing goes on here.
    func park(_ message: String) -> Never {
        end(message)
        Threads.sleepForEver()
    }
}

extension Threads {
    /// The calling thread, or the one it stands for.
    static var identity: UInt { ImpersonatedThread.current?.thread ?? current }
}

extension Instance {
    /// Confined to the calling thread as such.
    package var isOfThisThread: Bool {
        confinement.identity == .thread(Threads.current)
    }

    /// As if a commit of somebody had been seen.
    package func hearOfCommits() { noticeCommit() }
}
