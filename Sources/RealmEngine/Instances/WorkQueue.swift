private final class ResultBox<R>: @unchecked Sendable {
    var value: R?
}

/// A serial queue with a thread of its own: runs what it is given in order. An instance confined to
/// it is refreshed by itself and gets completions and notifications.
///
/// Free to cross threads. The thread ends after the last work when nobody refers to the queue any
/// more, or with `close`.
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

    public init(_ name: String) {
        let state = State()
        self.state = state
        confinement = Confinement(
            .object(ObjectIdentifier(state)), name: "queue \(name)",
            isCurrent: { state.thread == Threads.current },
            send: { work in state.monitor.signal { state.pending.append(work) } })
        let started = Threads.detach { Self.run(state) }
        precondition(started, "no thread for the queue \(name)")
        state.monitor.wait { state.thread != 0 }
    }

    deinit { state.monitor.signal { state.isClosed = true } }

    private static func run(_ state: State) {
        state.monitor.signal { state.thread = Threads.current }
        while true {
            state.monitor.wait { !state.pending.isEmpty || state.isClosed }
            let works = state.monitor.locked {
                defer { state.pending = [] }
                return state.pending
            }
            if works.isEmpty { break }
            for work in works { work() }
        }
        state.monitor.signal { state.isDone = true }
    }

    /// Runs `work` later.
    public func async(_ work: @escaping @Sendable () -> Void) { confinement.post(work) }

    /// Runs `work` and waits for it. Not to be called on the queue itself.
    public func sync<R: Sendable>(_ work: @escaping @Sendable () -> R) -> R {
        let (box, done) = (ResultBox<R>(), Monitor())
        confinement.post {
            let value = work()
            done.signal { box.value = value }
        }
        done.wait { box.value != nil }
        return box.value!
    }

    /// Waits for all work given so far and ends the thread. Not to be called on the queue itself.
    public func close() {
        state.monitor.signal { state.isClosed = true }
        state.monitor.wait { state.isDone }
    }
}
