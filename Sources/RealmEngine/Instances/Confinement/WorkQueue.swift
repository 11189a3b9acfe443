private final class ResultBox<R>: @unchecked Sendable {
    var value: R?
}

/// A serial queue with a thread of its own: runs what it is given in order. An instance confined to
/// it is refreshed by itself and gets completions and notifications.
///
/// Free to cross threads. The thread ends after the last work when nobody refers to the queue or to
/// its confinement any more, or with `close`; what is given to a closed queue is not run.
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

    /// Ends the thread when the last one who could give it work is gone.
    private final class Lifeline: Sendable {
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
        let lifeline = Lifeline(state)
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

    /// Runs `work` later; false, and it never runs, when the queue is closed.
    @discardableResult
    public func async(_ work: @escaping @Sendable () -> Void) -> Bool { confinement.post(work) }

    /// Runs `work` and waits for it. Not to be called on the queue itself, nor when it is closed.
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

    /// Waits for all work given so far and ends the thread. Not to be called on the queue itself.
    public func close() {
        state.monitor.signal { state.isClosed = true }
        state.monitor.wait { state.isDone }
    }
}
