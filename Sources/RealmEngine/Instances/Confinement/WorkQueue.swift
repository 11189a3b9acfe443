private final class ResultBox<R>: @unchecked Sendable {
    var value: R?
}

/// Serial queue with its own thread, which runs the work in order. Instances confined to the queue
/// refresh automatically and receive completions and notifications.
///
/// Free to cross threads. The thread ends after the last work when neither the queue nor its
/// confinement is referenced any more, or in `close`. A closed queue rejects work.
public final class WorkQueue: Sendable {
    private let state: State
    public let confinement: Confinement

    private final class State: @unchecked Sendable {
        let monitor = Monitor()
        var pending: [Confinement.Work] = []
        var isClosed = false
        var isDone = false
        var thread: UInt = 0
    }

    /// Closes the queue when the last reference through which work can be sent to it is released.
    private final class ThreadStopper: Sendable {
        let state: State
        init(_ state: State) { self.state = state }
        deinit { state.monitor.signal { state.isClosed = true } }

        func send(_ work: @escaping Confinement.Work) -> Bool {
            var isTaken = false
            state.monitor.signal {
                isTaken = !state.isDone
                if isTaken { state.pending.append(work) }
            }
            return isTaken
        }
    }

    public init(_ name: String) {
        let state = State()
        self.state = state
        let lifeline = ThreadStopper(state)
        confinement = Confinement(
            .object(ObjectIdentifier(state)), name: "queue \(name)",
            isCurrent: { state.thread == Threads.current },
            send: { lifeline.send($0) })
        let started = Threads.detach { Self.run(state) }
        precondition(started, "no thread for the queue \(name)")
        state.monitor.wait { state.thread != 0 }
    }

    private static func run(_ state: State) {
        state.monitor.signal { state.thread = Threads.current }
        while true {
            state.monitor.wait { !state.pending.isEmpty || state.isClosed }
            var works: [Confinement.Work] = []
            state.monitor.signal {
                swap(&works, &state.pending)
                state.isDone = works.isEmpty
            }
            if works.isEmpty { return }
            for work in works { work() }
        }
    }

    /// Runs `work` later. Returns false, without running it, if the queue is closed.
    @discardableResult
    public func async(_ work: @escaping @Sendable () -> Void) -> Bool { confinement.post(work) }

    /// Runs `work` and waits for it. Traps if the queue is closed. Must not be called on the queue
    /// itself.
    public func sync<R: Sendable>(_ work: @escaping @Sendable () -> R) -> R {
        let (box, done) = (ResultBox<R>(), Monitor())
        let isTaken = confinement.post {
            let value = work()
            done.signal { box.value = value }
        }
        precondition(isTaken, "\(confinement.name) is closed")
        done.wait { box.value != nil }
        return box.value!
    }

    /// Waits for all pending work and ends the thread. Must not be called on the queue itself.
    public func close() {
        state.monitor.signal { state.isClosed = true }
        state.monitor.wait { state.isDone }
    }
}
