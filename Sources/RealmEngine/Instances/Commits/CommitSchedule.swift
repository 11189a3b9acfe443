/// Decides what asynchronous write transactions of one database do when: whose block runs, what
/// commits share a pair of syncs, when the writer's turn is taken and given up.
///
/// A value without threads, clocks or files: events go in, actions come out, and whoever reported
/// the event carries them out. One block runs at a time; commits are completed in the order they were
/// made, after the flush that made them durable.
struct CommitSchedule {
    typealias ID = UInt32

    enum Action: Equatable {
        /// Take the writer's turn, then report `acquired` or `refused`.
        case acquire
        /// Run the block of a request, then report `ended`.
        case run(ID)
        /// Make the group durable, then report `flushed`.
        case flush
        /// Give up the writer's turn.
        case release
        /// Tell whoever waits for these commits.
        case complete([ID])
        /// The turn was not to be had: tell whoever asked.
        case fail([ID])
    }

    enum Ending: Equatable {
        case rolledBack
        case committed(ID, allowsGrouping: Bool)
    }

    private enum Phase: Equatable {
        case idle
        case acquiring
        /// The block was handed out; it may not have begun yet.
        case handedOut(ID)
        case running(ID)
        case flushing
    }

    private var phase = Phase.idle
    /// Requests in their order, from `first` on.
    private var pending: [ID] = []
    private var first = 0
    /// Commits that are not durable yet.
    private var group: [ID] = []
    /// Synchronous writers of this process that wait for their turn or have it.
    private var holds = 0
    private let limit: Int

    /// - Parameter limit: commits that share a flush at most.
    init(limit: Int = 4000) { self.limit = limit }

    /// Nothing is left to do.
    var isIdle: Bool { phase == .idle && isEmpty }
    private var isEmpty: Bool { first == pending.count }
    /// The writer's turn is taken, or about to be.
    var isBusy: Bool { phase != .idle }

    mutating func request(_ id: ID) -> [Action] {
        pending.append(id)
        return start()
    }

    private mutating func start() -> [Action] {
        guard phase == .idle, holds == 0, !isEmpty else { return [] }
        phase = .acquiring
        return [.acquire]
    }

    /// Takes back a request; false when its block has begun, or has been.
    mutating func cancel(_ id: ID) -> (Bool, [Action]) {
        if let index = pending[first...].firstIndex(of: id) {
            pending.remove(at: index)
            return (true, [])
        }
        guard phase == .handedOut(id) else { return (false, []) }
        return (true, next())
    }

    mutating func acquired() -> [Action] {
        precondition(phase == .acquiring)
        return next()
    }

    /// Nobody gets a turn any more: all that wait fail.
    mutating func refused() -> [Action] {
        precondition(phase == .acquiring)
        phase = .idle
        let waiting = Array(pending[first...])
        (pending, first) = ([], 0)
        return waiting.isEmpty ? [] : [.fail(waiting)]
    }

    /// The block of a request begins; false when it was taken back meanwhile.
    mutating func began(_ id: ID) -> Bool {
        guard phase == .handedOut(id) else { return false }
        phase = .running(id)
        return true
    }

    mutating func ended(_ id: ID, _ ending: Ending) -> [Action] {
        precondition(phase == .running(id))
        if case .committed(let commit, let allowsGrouping) = ending {
            group.append(commit)
            if !allowsGrouping || group.count >= limit { return flush() }
        }
        return next()
    }

    mutating func flushed() -> [Action] {
        precondition(phase == .flushing)
        let done = group
        group = []
        phase = .idle
        // The turn is given up after every group, so that others get theirs.
        return [.complete(done), .release] + start()
    }

    /// With the turn taken and no block running: what comes next.
    private mutating func next() -> [Action] {
        if holds == 0, !isEmpty {
            let id = takeFirst()
            phase = .handedOut(id)
            return [.run(id)]
        }
        if !group.isEmpty { return flush() }
        phase = .idle
        return [.release] + start()
    }

    private mutating func takeFirst() -> ID {
        let id = pending[first]
        first += 1
        // Removing one at a time would move the others each time.
        if first == pending.count || first == 1024 {
            pending.removeSubrange(..<first)
            first = 0
        }
        return id
    }

    private mutating func flush() -> [Action] {
        phase = .flushing
        return [.flush]
    }

    /// A synchronous writer wants the turn: a block that has not begun is put back.
    mutating func hold() -> [Action] {
        holds += 1
        guard case .handedOut(let id) = phase else { return [] }
        pending.insert(id, at: first)
        return next()
    }

    mutating func unhold() -> [Action] {
        holds -= 1
        return start()
    }
}
