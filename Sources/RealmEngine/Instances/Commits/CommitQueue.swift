import Synchronization

/// Carries out the asynchronous write transactions of one database in this process.
///
/// The queue's thread waits for the write mutex and for syncs; it exists only while there is work.
/// Blocks and completions run in the context of their instance, except for completions marked
/// `isOnQueueThread`. Free to cross threads. One mutex guards the schedule; no callback runs while
/// it is held.
final class CommitQueue: @unchecked Sendable {
    typealias ID = CommitSchedule.ID

    /// Asynchronous write transaction that an instance requested.
    private struct Request {
        let instance: Instance
        let block: () -> Void
        /// Called in place of `block` when the write mutex cannot be acquired.
        let onFailure: ((RealmError?) -> Void)?
    }

    private struct Completion {
        let instance: Instance
        /// Whether `body` is called on the commit queue's thread and not in the context of the
        /// instance.
        let isOnQueueThread: Bool
        var body: ((RealmError?) -> Void)?
    }

    private let database: Database
    private let session: WriteSession
    private let lockTimeout: WriteSession.LockTimeout
    private let monitor = Monitor()
    private var schedule: CommitSchedule
    private var requests: [ID: Request] = [:]
    private var completions: [ID: Completion] = [:]
    private var lastID: ID = 0
    /// Actions for the queue's thread, in order of execution.
    private var jobs: [CommitSchedule.Action] = []
    private var hasThread = false
    /// Whether the queue's thread holds the write mutex.
    private var hasTurn = false
    /// Error of the last attempt to acquire the write mutex or to flush; nil if it succeeded.
    /// Passed to completions and `onFailure`.
    private var failure: RealmError?

    private convenience init(
        _ database: Database, _ lockTimeout: WriteSession.LockTimeout
    ) throws(RealmError) {
        var options = WriteSession.Options()
        options.isDurable = database.session?.file.durability != 2
        options.key = database.encryptionKey
        self.init(try WriteSession(on: database, options: options), lockTimeout)
    }

    init(_ session: WriteSession, _ lockTimeout: WriteSession.LockTimeout = .forever) {
        self.session = session
        self.lockTimeout = lockTimeout
        database = session.database
        schedule = CommitSchedule()
    }

    private static let queues = LockedValue<[ObjectIdentifier: Weak<CommitQueue>]>([:])
    /// Number of asynchronous writes and commits that were requested in this process since it
    /// started.
    private static let begun = Atomic<Int>(0)
    /// Guards `unfinishedCount`.
    private let unfinished = Monitor()
    private var unfinishedCount = 0

    /// Returns the queue of a database, created on first use.
    ///
    /// - Parameter lockTimeout: lock timeout of a queue that this call creates.
    static func queue(
        of database: Database, _ lockTimeout: WriteSession.LockTimeout = .forever
    ) throws(RealmError) -> CommitQueue {
        let key = ObjectIdentifier(database)
        let result = queues.withLock { queues -> Result<CommitQueue, RealmError> in
            if let known = queues[key]?.object, known.database === database {
                return .success(known)
            }
            return Result { () throws(RealmError) in
                let fresh = try CommitQueue(database, lockTimeout)
                queues[key] = Weak(fresh)
                return fresh
            }
        }
        return try result.get()
    }

    /// Waits until no asynchronous write is pending in this process. Must not be called in the
    /// context of an instance with pending writes.
    static func waitForAll() {
        var seen: Int
        repeat {
            // A completion in one queue may have added a request to another queue.
            seen = begun.load(ordering: .acquiring)
            for queue in queues.withLock({ $0.values.compactMap(\.object) }) { queue.wait() }
        } while seen != begun.load(ordering: .acquiring)
    }

    /// Waits until no asynchronous write is pending in this queue.
    func wait() { unfinished.wait { unfinishedCount == 0 } }

    private func begin(_ instance: Instance) {
        instance.pendingCount.add(1, ordering: .relaxed)
        unfinished.signal { unfinishedCount += 1 }
        Self.begun.add(1, ordering: .acquiringAndReleasing)
    }

    private func finish(_ instance: Instance) {
        instance.pendingCount.subtract(1, ordering: .relaxed)
        unfinished.signal { unfinishedCount -= 1 }
    }

    /// Number of bytes and syncs that this queue has written for asynchronous writes so far. Exact
    /// only while no asynchronous write is pending.
    var writeStatistics: WriteSession.WriteStatistics { session.writeStatistics }

    // MARK: Requests

    func request(
        _ instance: Instance, onFailure: ((RealmError?) -> Void)?, _ block: @escaping () -> Void
    ) -> ID {
        begin(instance)
        let (id, actions) = monitor.locked {
            lastID &+= 1
            requests[lastID] = Request(instance: instance, block: block, onFailure: onFailure)
            return (lastID, schedule.request(lastID))
        }
        perform(actions)
        return id
    }

    /// Cancels a request whose block has not begun, or discards the completion of a commit.
    func cancel(_ id: ID) {
        let (request, actions) = monitor.locked { () -> (Request?, [CommitSchedule.Action]) in
            completions[id]?.body = nil
            let (isCancelled, actions) = schedule.cancel(id)
            return (isCancelled ? requests.removeValue(forKey: id) : nil, actions)
        }
        perform(actions)
        if let request { finish(request.instance) }
    }

    /// Registers the completion of a commit, which is called after the flush that makes the commit
    /// durable.
    func addCompletion(
        _ instance: Instance, isOnQueueThread: Bool, _ body: ((RealmError?) -> Void)?
    ) -> ID {
        begin(instance)
        return monitor.locked {
            lastID &+= 1
            completions[lastID] = Completion(
                instance: instance, isOnQueueThread: isOnQueueThread, body: body)
            return lastID
        }
    }

    /// Calls the completion of a commit that is durable already.
    func complete(_ id: ID, _ error: RealmError?) { complete([id], error) }

    // MARK: Synchronous writers

    /// Keeps the queue from acquiring the write mutex. A block that was posted to its context but
    /// has not begun waits in the queue again.
    func suspend() { perform(monitor.locked { schedule.suspend() }) }
    func resume() { perform(monitor.locked { schedule.resume() }) }

    /// Waits until all commits are durable and the write mutex is released. Call it after
    /// `suspend`, so that no new block begins.
    func waitForCommits() { monitor.wait { !schedule.isBusy && !hasTurn } }

    // MARK: Actions

    /// Carries out actions on the calling thread. Actions that may block are passed to the queue's
    /// thread.
    private func perform(_ actions: [CommitSchedule.Action]) {
        for action in actions {
            switch action {
            case .run(let id): handOut(id)
            case .complete(let ids): complete(ids, monitor.locked { failure })
            case .fail(let ids): fail(ids)
            case .acquire, .flush, .release: enqueue(action)
            }
        }
    }

    private func enqueue(_ action: CommitSchedule.Action) {
        var mustStart = false
        monitor.signal {
            jobs.append(action)
            mustStart = !hasThread
            hasThread = true
        }
        if mustStart, !Threads.detachReusingThread({ self.work() }) {
            Misuse.trap("no thread for asynchronous writes")
        }
    }

    /// Main function of the queue's thread. It must not return while the write mutex is held,
    /// because the mutex belongs to this thread.
    private func work() {
        while true {
            monitor.wait { !jobs.isEmpty || !(hasTurn || schedule.isBusy) }
            var isDone = false
            let job = monitor.locked { () -> CommitSchedule.Action? in
                if !jobs.isEmpty { return jobs.removeFirst() }
                isDone = !(hasTurn || schedule.isBusy)
                if isDone { hasThread = false }
                return nil
            }
            if isDone { return }
            if let job { execute(job) }
        }
    }

    private func execute(_ job: CommitSchedule.Action) {
        switch job {
        case .acquire:
            do throws(RealmError) {
                try session.openGroup(lockTimeout)
                perform(
                    monitor.locked {
                        failure = nil
                        hasTurn = true
                        return schedule.acquired()
                    })
            } catch {
                perform(
                    monitor.locked {
                        failure = error
                        return schedule.refused()
                    })
            }
        case .flush:
            var problem: RealmError?
            do throws(RealmError) { try session.flushGroup() } catch { problem = error }
            var actions: [CommitSchedule.Action] = []
            monitor.signal {
                failure = problem
                actions = schedule.flushed()
            }
            // Release the mutex before calling completions: these may begin a write transaction.
            for action in actions where action == .release { execute(action) }
            perform(actions.filter { $0 != .release })
        case .release:
            session.closeGroup()
            monitor.signal { hasTurn = false }
        default: return
        }
    }

    /// Posts the block of a request to the context of its instance.
    private func handOut(_ id: ID) {
        guard let instance = monitor.locked({ requests[id]?.instance }) else { return }
        let box = Unchecked(instance)
        let isDelivered = instance.confinement.post { [self] in
            _ = box
            runBlocks(from: id)
        }
        if !isDelivered { drop(id) }
    }

    /// Ends a request without running its block, because its context no longer runs work. The next
    /// request may then begin.
    private func drop(_ id: ID) {
        let (request, actions) = monitor.locked { () -> (Request?, [CommitSchedule.Action]) in
            guard schedule.began(id) else { return (nil, []) }
            return (requests.removeValue(forKey: id), schedule.ended(id, .rolledBack))
        }
        perform(actions)
        if let request { finish(request.instance) }
    }

    /// Runs the block of a request, and then up to 63 of the next blocks if they belong to the same
    /// context.
    private func runBlocks(from first: ID) {
        var next: ID? = first
        var left = 64
        while let id = next {
            next = nil
            let request = monitor.locked {
                schedule.began(id) ? requests.removeValue(forKey: id) : nil
            }
            guard let request else { return }
            var ending = CommitSchedule.Ending.rolledBack
            do throws(RealmError) {
                ending = try request.instance.runAsyncBlock(session, request.block)
            } catch { request.instance.runCompletion(request.onFailure, error) }
            if case .committed(let commit, _) = ending, session.isGroupLarge {
                ending = .committed(commit, allowsGrouping: false)
            }
            left -= 1
            for action in monitor.locked({ schedule.ended(id, ending) }) {
                if case .run(let other) = action, left > 0,
                    monitor.locked({ requests[other]?.instance.confinement })
                        === request.instance.confinement
                {
                    next = other
                } else {
                    perform([action])
                }
            }
            finish(request.instance)
        }
    }

    private func complete(_ ids: [ID], _ error: RealmError?) {
        for id in ids { completeHere(id)?(error) }
        var rest = monitor.locked {
            ids.compactMap { id in completions[id].map { (id: id, instance: $0.instance) } }
        }[...]
        // Consecutive completions for the same context are posted as one piece of work.
        while let place = rest.first?.instance.confinement {
            let run = rest.prefix { $0.instance.confinement === place }
            rest = rest.dropFirst(run.count)
            let box = Unchecked(run)
            let work: Confinement.Work = { [self] in
                for (id, instance) in box.value {
                    instance.runCompletion(takeCompletion(id)?.body, error)
                    finish(instance)
                }
            }
            if !place.isDeliverable {
                work()
            } else if !place.post(work) {
                // The context no longer runs work: discard the completions.
                for (id, instance) in run {
                    _ = takeCompletion(id)
                    finish(instance)
                }
            }
        }
    }

    /// Removes and returns a completion that may run on this thread; nil for a completion that must
    /// run elsewhere. The commit stops counting as pending before the caller runs the completion.
    private func completeHere(_ id: ID) -> ((RealmError?) -> Void)? {
        let completion = monitor.locked {
            completions[id]?.isOnQueueThread == true ? completions.removeValue(forKey: id) : nil
        }
        if let completion { finish(completion.instance) }
        return completion?.body
    }

    private func takeCompletion(_ id: ID) -> Completion? {
        monitor.locked { completions.removeValue(forKey: id) }
    }

    private func fail(_ ids: [ID]) {
        let error = monitor.locked { failure }
        for id in ids {
            guard let request = monitor.locked({ requests.removeValue(forKey: id) }) else {
                continue
            }
            let box = Unchecked(request)
            let isDelivered = request.instance.confinement.post { [self] in
                let request = box.value
                request.instance.runCompletion(request.onFailure, error)
                finish(request.instance)
            }
            if !isDelivered { finish(request.instance) }
        }
    }
}

/// Makes a value that is confined to a context sendable, to carry it to that context.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
