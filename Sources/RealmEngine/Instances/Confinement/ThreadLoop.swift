/// Lets a thread be a place to which work can be delivered: it runs what arrives whenever it asks
/// for that. An instance confined to it writes asynchronously and moves on by itself.
///
/// Used on the thread that made it, except for `wake` and the confinement, which are free to cross
/// threads. Nothing is delivered any more once the loop is gone.
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

    /// A loop of the calling thread.
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

    /// Runs what has arrived, after waiting up to `milliseconds` for something. False when nothing
    /// came: no work, and nobody called `wake`.
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

    /// What makes a `run` that waits, or the next one, return; for any thread.
    public var wake: @Sendable () -> Void {
        { [inbox] in inbox.monitor.signal { inbox.isAwake = true } }
    }
}
