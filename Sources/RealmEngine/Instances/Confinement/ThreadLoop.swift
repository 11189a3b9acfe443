/// Context for a thread that runs delivered work itself, whenever it calls `run`. Instances
/// confined to the loop write asynchronously and refresh automatically.
///
/// May only be used on the thread that made it; `wake` and the confinement are free to cross
/// threads. After the loop is deinitialised, no more work is accepted.
public final class ThreadLoop {
    private let inbox: Inbox
    public let confinement: Confinement

    private final class Inbox: @unchecked Sendable {
        let monitor = Monitor()
        var pending: [Confinement.Work] = []
        var isAwake = false
        var isClosed = false

        func send(_ work: @escaping Confinement.Work) -> Bool {
            var isTaken = false
            monitor.signal {
                isTaken = !isClosed
                if isTaken { pending.append(work) }
            }
            return isTaken
        }
    }

    /// Makes a loop that runs work on the calling thread.
    public init() {
        let inbox = Inbox()
        self.inbox = inbox
        let owner = Threads.current
        confinement = Confinement(
            .object(ObjectIdentifier(inbox)), name: "thread \(ThreadNumber.current)",
            isCurrent: { owner == Threads.current }, send: inbox.send)
    }

    deinit {
        var rest: [Confinement.Work] = []
        inbox.monitor.signal {
            inbox.isClosed = true
            swap(&rest, &inbox.pending)
        }
    }

    /// Waits up to `milliseconds` for work and runs it. Returns false if neither work nor a call of
    /// `wake` arrived.
    @discardableResult
    public func run(milliseconds: Int32 = 0) -> Bool {
        let isAwake = inbox.monitor.wait(milliseconds: milliseconds) {
            inbox.isAwake || !inbox.pending.isEmpty
        }
        guard isAwake else { return false }
        var works: [Confinement.Work] = []
        inbox.monitor.locked {
            inbox.isAwake = false
            swap(&works, &inbox.pending)
        }
        for work in works { work() }
        return true
    }

    /// Closure that ends a waiting `run`, or makes the next `run` return at once. May be called on
    /// any thread.
    public var wake: @Sendable () -> Void {
        { [inbox] in inbox.monitor.signal { inbox.isAwake = true } }
    }
}
