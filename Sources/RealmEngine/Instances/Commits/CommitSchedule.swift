/// State machine for the asynchronous write transactions of one database: decides which block runs
/// next, which commits share a flush, and when the write mutex is acquired and released.
///
/// A value without threads, clocks or files: it receives events and returns actions, which the
/// caller carries out. One block runs at a time. The completions of commits are called in commit
/// order, after the flush that made the commits durable.
struct CommitSchedule {
    typealias ID = UInt32

    enum Action: Equatable {
        /// Acquire the write mutex, then report `acquired` or `refused`.
        case acquire
        /// Run the block of a request, then report `ended`.
        case run(ID)
        /// Make the commits of the group durable in one flush, then report `flushed`.
        case flush
        /// Release the write mutex.
        case release
        /// Call the completions of these commits.
        case complete([ID])
        /// Fail these requests, because the write mutex could not be acquired.
        case fail([ID])
    }

    enum Ending: Equatable {
        case rolledBack
        case committed(ID, allowsGrouping: Bool)
    }

    private enum Phase: Equatable {
        case idle
        case acquiring
        /// The block was posted to its context; it may not have begun yet.
        case handedOut(ID)
        case running(ID)
        case flushing
    }

    private var phase = Phase.idle
    /// Requests in order. Those before index `first` have been started already.
    private var pending: [ID] = []
    private var first = 0
    /// Commits that share the next flush. They are not durable yet.
    private var group: [ID] = []
    /// Number of synchronous writers of this process that wait for the write mutex or hold it.
    private var suspensions = 0
    private let limit: Int

    /// - Parameter limit: maximum number of commits that share a flush.
    init(limit: Int = 4000) { self.limit = limit }

    /// Whether the write mutex is not held and no request is pending.
    var isIdle: Bool { phase == .idle && isEmpty }
    private var isEmpty: Bool { first == pending.count }
    /// Whether the write mutex is held or about to be acquired.
    var isBusy: Bool { phase != .idle }

    mutating func request(_ id: ID) -> [Action] {
        pending.append(id)
        return start()
    }

    private mutating func start() -> [Action] {
        guard phase == .idle, suspensions == 0, !isEmpty else { return [] }
        phase = .acquiring
        return [.acquire]
    }

    /// Cancels a request; returns false if its block has already begun.
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

    /// Fails all pending requests, because the write mutex could not be acquired.
    mutating func refused() -> [Action] {
        precondition(phase == .acquiring)
        phase = .idle
        let waiting = Array(pending[first...])
        (pending, first) = ([], 0)
        return waiting.isEmpty ? [] : [.fail(waiting)]
    }

    /// Records that the block of a request begins. Returns false if the request was taken back in
    /// the meantime; the block must then not run.
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
        // Release the write mutex after every group, so that other writers can acquire it.
        return [.complete(done), .release] + start()
    }

    /// Returns the next actions. Called while the write mutex is held and no block is running.
    private mutating func next() -> [Action] {
        if suspensions == 0, !isEmpty {
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
        // Remove started requests in batches: each removal moves all later requests.
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

    /// Starts no more blocks until `resume`, because a synchronous writer needs the write mutex. A
    /// block that was posted but has not begun returns to the front of `pending`.
    mutating func suspend() -> [Action] {
        suspensions += 1
        guard case .handedOut(let id) = phase else { return [] }
        pending.insert(id, at: first)
        return next()
    }

    mutating func resume() -> [Action] {
        suspensions -= 1
        return start()
    }
}
